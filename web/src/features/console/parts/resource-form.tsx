import { Button, Card, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { Dialog } from '@/ui/dialog'
import { DialogActions } from '@/ui/dialog-actions'
import { Notice } from '@/ui/notice'
import { ConflictNotice } from './conflict'
import type { Field } from './field'
import { FieldInput } from './field-input'
import { FormFoot } from './form-foot'
import classes from './resource-form.module.css'
import { useResourceForm } from './use-resource-form'

export type FormValues = Record<string, string | boolean>

export type FormSection = {
  title: string
  about?: string
  /** Which fields there are may follow from what is chosen. */
  fields: (values: FormValues) => readonly Field[]
  /** Not drawn now; what was changed in it is saved with the rest. */
  isHidden?: boolean
  /** After its fields, such as a test of what they say. */
  foot?: ReactNode
}

export type ResourceFormProps = {
  /** Where drafts are kept in this browser: one name for each object. */
  draftKey: string
  /** What the server has now; of a new object its working defaults. */
  initial: FormValues
  isNew?: boolean
  sections: readonly FormSection[]
  /** A verb. */
  submit: string
  /** Saves; `changed` names the fields that differ from what the server had. */
  save: (values: FormValues, changed: readonly string[]) => Promise<unknown>
  /** What is said before these changes are saved, where it must be confirmed: object and effect in one sentence. */
  confirm?: (values: FormValues, changed: readonly string[]) => string | undefined
  /** Reads the object once more, to show what another member made of it. */
  reload?: () => Promise<FormValues>
  onSaved: () => void
  /**
   * In place of `onSaved` where an earlier try was received and its answer lost, so that nobody knows what came of it; the
   * server's words are shown. Absent: the page above, which is the list or the object.
   */
  onReceived?: () => void
  /** Beside the fields: a preview, a test. */
  aside?: (values: FormValues) => ReactNode
}

/**
 * A form as a page: sections of fields with the contract's rules, the changes listed before they are saved, a draft in this
 * browser, and, where another member was faster, both versions side by side.
 */
export function ResourceForm(props: ResourceFormProps) {
  const held = useResourceForm(props)
  const { form, base, values, theirs, asked } = held
  const formRef = useRef<HTMLFormElement>(null)
  useSaveKey(formRef)
  const fields = props.sections.flatMap((section) => [...section.fields(values)])
  return (
    <form
      ref={formRef}
      onSubmit={(event) => void held.submit(event)}
      noValidate
      className={classes.form}
    >
      <Stack gap="lg">
        {held.isRestored && <Restored onDrop={held.drop} />}
        {theirs && (
          <ConflictNotice
            fields={fields}
            initial={base}
            mine={values}
            theirs={theirs}
            onSettle={held.settle}
          />
        )}
        <Sections sections={props.sections} form={form} values={values} />
        <FormFoot
          fields={fields}
          before={theirs ?? base}
          after={values}
          changed={held.changed}
          isNew={props.isNew ?? false}
          submit={props.submit}
          error={form.formState.errors.root?.message}
          isBusy={form.formState.isSubmitting}
          isLocked={theirs !== undefined}
          settledCount={held.settledCount}
        />
      </Stack>
      {props.aside && <div className={classes.aside}>{props.aside(values)}</div>}
      {asked && (
        <Question
          title={props.submit}
          effect={asked.effect}
          onConfirm={() => asked.answer(true)}
          onClose={() => asked.answer(false)}
        />
      )}
    </form>
  )
}

function Sections(props: {
  sections: readonly FormSection[]
  form: UseFormReturn<FormValues>
  values: FormValues
}) {
  const { form, values } = props
  return props.sections
    .filter((section) => isDrawn(section, values))
    .map((section) => <Section key={section.title} section={section} form={form} values={values} />)
}

/** Says that what was typed before and not saved is in the form again. */
function Restored({ onDrop }: { onDrop: () => void }) {
  const { t } = useTranslation('console/parts')
  const drop = () => {
    onDrop()
    // The button goes with the notice.
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  }
  const button = (
    <Button size="xs" variant="default" onClick={drop}>
      {t('form.drop')}
    </Button>
  )
  return (
    <Notice tone="warning" action={button}>
      {t('form.restored')}
    </Notice>
  )
}

function Section(props: {
  section: FormSection
  form: UseFormReturn<FormValues>
  values: FormValues
}) {
  const { section, form, values } = props
  return (
    <Card component="section" aria-label={section.title}>
      <Title order={2} size="h3" mb={section.about ? 4 : 'md'}>
        {section.title}
      </Title>
      {section.about && <p className={classes.about}>{section.about}</p>}
      <Stack gap="md">
        {section.fields(values).map((field) => (
          <div key={field.name}>
            <FieldInput field={field} form={form} value={values[field.name]} />
            {field.foot?.((value) => form.setValue(field.name, value))}
          </div>
        ))}
      </Stack>
      {section.foot}
    </Card>
  )
}

const isDrawn = ({ isHidden, fields }: FormSection, values: FormValues) =>
  !isHidden && fields(values).length > 0

function Question(props: {
  title: string
  effect: string
  onConfirm: () => void
  onClose: () => void
}) {
  const { t: common } = useTranslation()
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <Stack gap="md">
        <Text>{props.effect}</Text>
        <DialogActions>
          <Button variant="default" onClick={props.onClose} data-autofocus>
            {common('cancel')}
          </Button>
          <Button onClick={props.onConfirm}>{props.title}</Button>
        </DialogActions>
      </Stack>
    </Dialog>
  )
}

/** Ctrl S saves. */
function useSaveKey(form: RefObject<HTMLFormElement | null>) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      form.current?.requestSubmit()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [form])
}
