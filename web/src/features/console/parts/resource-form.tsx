import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { type UseFormReturn, useForm, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { showServerProblem } from '@/lib/server-problem'
import { Dialog } from '@/ui/dialog'
import { DialogActions } from '@/ui/dialog-actions'
import { FormError } from '@/ui/form-error'
import { Changes } from './changes'
import { ConflictNotice } from './conflict'
import { dropDraft, keepDraft, readDraft } from './draft'
import type { Field } from './field'
import { FieldInput } from './field-input'
import classes from './resource-form.module.css'

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

type Props = {
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
  /** Beside the fields: a preview, a test. */
  aside?: (values: FormValues) => ReactNode
}

/**
 * A form as a page: sections of fields with the contract's rules, the changes listed before they are saved, a draft in this
 * browser, and, where another member was faster, both versions side by side.
 */
export function ResourceForm(props: Props) {
  const { t } = useTranslation('console/parts')
  const { form, submit, base, values, changed, theirs, settle, asked } = useResourceForm(props)
  const formRef = useRef<HTMLFormElement>(null)
  useSaveKey(formRef)
  const fields = props.sections.flatMap((section) => [...section.fields(values)])
  return (
    <form
      ref={formRef}
      onSubmit={(event) => void submit(event)}
      noValidate
      className={classes.form}
    >
      <Stack gap="lg">
        {theirs && (
          <ConflictNotice
            fields={fields}
            initial={base}
            mine={values}
            theirs={theirs}
            onSettle={settle}
          />
        )}
        {props.sections
          .filter((section) => isDrawn(section, values))
          .map((section) => (
            <Section key={section.title} section={section} form={form} values={values} />
          ))}
        <Card component="section" aria-label={t('form.changes')}>
          {!props.isNew && (
            <Changes fields={fields} before={base} after={values} changed={changed} />
          )}
          <FormError message={form.formState.errors.root?.message} />
          <Group justify="flex-end">
            <Button
              type="submit"
              loading={form.formState.isSubmitting}
              disabled={theirs !== undefined || (!props.isNew && changed.length === 0)}
            >
              {props.submit}
            </Button>
          </Group>
        </Card>
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

/** Asks for a confirmation, and gives whether it came. */
function useQuestion() {
  const [asked, setAsked] = useState<{ effect: string; answer: (yes: boolean) => void }>()
  const ask = async (effect: string) => {
    const isConfirmed = await new Promise<boolean>((answer) => setAsked({ effect, answer }))
    setAsked(undefined)
    return isConfirmed
  }
  return { asked, ask }
}

function useResourceForm(props: Props) {
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()
  // What the changes are made to. The page may read the object again meanwhile.
  const [base, setBase] = useState(props.initial)
  const [theirs, setTheirs] = useState<FormValues>()
  const form = useForm<FormValues>({
    defaultValues: { ...props.initial, ...readDraft(props.draftKey) },
  })
  const values = useWatch({ control: form.control }) as FormValues
  const changed = Object.keys(values).filter((name) => values[name] !== base[name])
  const [isSaved, setSaved] = useState(false)
  const { asked, ask } = useQuestion()
  useEffect(() => {
    if (isSaved) return
    const fields = props.sections.flatMap((section) => [...section.fields(values)])
    const secrets = new Set(fields.flatMap(({ kind, name }) => (kind === 'secret' ? [name] : [])))
    const kept = changed.filter((name) => !secrets.has(name))
    keepDraft(props.draftKey, Object.fromEntries(kept.map((name) => [name, values[name] ?? ''])))
  })
  useBlocker({
    shouldBlockFn: () => false,
    enableBeforeUnload: () => changed.length > 0 && !isSaved,
  })

  /** The server has it all: no draft stays, and what shows it is read again. */
  const finish = async () => {
    setSaved(true)
    dropDraft(props.draftKey)
    await queryClient.invalidateQueries({ queryKey: ['console'] })
  }
  const showProblem = async (error: unknown) => {
    // Done by an earlier try whose answer was lost, which is what the server says.
    if (error instanceof ApiError && error.code === 'already_received') await finish()
    const isStale = error instanceof ApiError && error.code === 'version_conflict'
    if (!isStale || !props.reload) return showServerProblem(form, error, common)
    try {
      setTheirs(await props.reload())
    } catch (unread) {
      showServerProblem(form, unread, common)
    }
  }
  const submit = form.handleSubmit(async (given) => {
    // Of a conflict one decides first what to keep: saved now, it would hide what the other member wrote.
    if (theirs) return
    const effect = props.confirm?.(given, changed)
    if (effect !== undefined && !(await ask(effect))) return
    try {
      await props.save(given, changed)
    } catch (error) {
      await showProblem(error)
      return
    }
    await finish()
    props.onSaved()
  })

  /** Takes what was settled as the form's values, on top of what the server has now. */
  const settle = (settled: FormValues) => {
    setBase(theirs ?? base)
    setTheirs(undefined)
    for (const [name, value] of Object.entries(settled)) form.setValue(name, value)
  }
  return { form, submit, base, values, changed, theirs, settle, asked }
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
