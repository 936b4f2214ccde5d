import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useForm, type UseFormReturn, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { problemText, showServerProblem } from '@/lib/server-problem'
import { Dialog } from '@/ui/dialog'
import { DialogActions } from '@/ui/dialog-actions'
import { FormError } from '@/ui/form-error'
import { Notice } from '@/ui/notice'
import { dismissErrors, toast } from '@/ui/toast'
import type { Action, Values } from './action'
import { DialogFields, firstOf } from './dialog-fields'
import type { Field } from './field'
import { sayReceived } from './received'
import { mayBeDone, sendTry } from './unanswered-tries'
import type { Typed } from './use-typed'

type Props<S> = {
  action: Action<S>
  subject: S
  /** Absent: what is typed goes with the dialog. */
  typed?: Typed
  onDone: (values: Values, made: unknown) => void
  onFailed: () => void
  onClose: () => void
}

/**
 * Asks before an action: names the object and the effect, and asks for what the danger demands. The focus is on
 * the first field, else on Cancel.
 */
export function ActionDialog<S>(props: Props<S>) {
  const { action, subject } = props
  const { t } = useTranslation('console/parts')
  const { form, fields, values, submit, ended, close } = useActionForm(props)
  const isFieldFirst = firstOf(fields) !== undefined
  const [typedText, setTypedText] = useState('')
  const typed = action.danger === 'T' ? action.typed?.(subject) : undefined
  return (
    <Dialog title={action.title} onClose={close}>
      {ended ? (
        <Ended text={t(`action.${ended}`)} onClose={close} />
      ) : (
        <form onSubmit={(event) => void submit(event)} noValidate>
          <Stack gap="md">
            <Text>{action.effect(subject, values)}</Text>
            <DialogFields fields={fields} form={form} values={values} />
            {typed !== undefined && (
              <Typed
                word={typed}
                value={typedText}
                isFirst={!isFieldFirst}
                onChange={setTypedText}
              />
            )}
            <FormError message={form.formState.errors.root?.message} />
            <Buttons
              action={action}
              form={form}
              isFirst={!isFieldFirst && typed === undefined}
              isLocked={typed !== undefined && typedText.trim() !== typed}
              onClose={close}
            />
          </Stack>
        </form>
      )}
    </Dialog>
  )
}

/** The form of the dialog, and what comes of sending it. */
function useActionForm<S>(props: Props<S>) {
  const { t } = useTranslation('console/parts')
  const { t: common } = useTranslation()
  const { action, subject } = props
  const isOpen = useIsMounted()
  const fields = useFields(action, subject)
  const form = useForm<Values>({
    defaultValues: { ...initialOf(fields), ...stillFitting(fields, props.typed?.values) },
  })
  const [isWaiting, setWaiting] = useState(false)
  const [isUnanswered, setUnanswered] = useState(false)
  // What was read since shows that it was done.
  const isDone = isUnanswered && action.isShown?.(subject) === false
  const values = useWatch({ control: form.control }) as Values
  const submit = form.handleSubmit(async (given) => {
    try {
      dismissErrors()
      const sent = trimmed(given)
      const made = await sendTry(tryOf(action, subject), sent, t('form.earlierTry'), () =>
        action.run(subject, sent),
      )
      props.typed?.keep({})
      if (waitsForSecond(made)) {
        setWaiting(true)
        props.onFailed()
        return
      }
      props.onDone(given, made)
    } catch (error) {
      if (sayReceived(error)) {
        props.typed?.keep({})
        props.onFailed()
        if (isOpen.current) props.onClose()
        return
      }
      // It is recorded, and waits in Approvals.
      if (error instanceof ApiError && error.code === 'second_member_needed') {
        props.typed?.keep({})
        setWaiting(true)
      } else if (isOpen.current) showServerProblem(form, error, common)
      else void toast('error', `${action.title}: ${problemText(error, common)}`)
      setUnanswered(mayBeDone(error))
      props.onFailed()
    }
  })
  const ended = isWaiting ? ('waits' as const) : isDone ? ('doneUnanswered' as const) : undefined
  const close = () => {
    props.typed?.keep(ended ? {} : typedInto(fields, values))
    props.onClose()
  }
  return { form, fields, values, submit, ended, close }
}

/** Whether an answer says that what it recorded takes effect once a second member approves it. */
const waitsForSecond = (made: unknown): boolean =>
  (made as { data?: { waits?: boolean } } | undefined)?.data?.waits === true

/** Names what is tried: the action, the page, and the row where it is the page of a list. */
function tryOf<S>({ key }: Action<S>, subject: S): string {
  const { id, no } = Object(subject) as { id?: number | string; no?: number | string }
  return `${window.location.pathname} ${key} ${id ?? no ?? ''}`
}

const initialOf = (fields: readonly Field[]): Values =>
  Object.fromEntries(
    fields.map(({ name, kind, initial }) => [name, initial ?? (kind === 'switch' ? false : '')]),
  )

/** What differs from how the dialog begins. Secrets are typed anew. */
function typedInto(fields: readonly Field[], values: Values): Values {
  const initial = initialOf(fields)
  const secrets = new Set(fields.flatMap(({ kind, name }) => (kind === 'secret' ? [name] : [])))
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => value !== initial[name] && !secrets.has(name)),
  )
}

/** What was typed before, without choices that there are no longer. */
const stillFitting = (fields: readonly Field[], typed: Values = {}): Values =>
  Object.fromEntries(
    Object.entries(typed).filter(([name, value]) =>
      fields.some(
        (field) =>
          field.name === name &&
          (field.kind !== 'choice' || field.options?.some((one) => one.value === value)),
      ),
    ),
  )

/** Tells whether the component is still shown, for what ends later. */
function useIsMounted() {
  const isMounted = useRef(false)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  return isMounted
}

const trimmed = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.trim() : value,
    ]),
  )

function useFields<S>(action: Action<S>, subject: S): readonly Field[] {
  const { t } = useTranslation('console/parts')
  const own = action.fields?.(subject) ?? []
  const asksReason = action.danger === 'R' || action.danger === 'T'
  if (!asksReason || own.some(({ name }) => name === 'reason')) return own
  return [
    ...own,
    {
      name: 'reason',
      label: t('action.reason'),
      kind: 'textarea',
      isRequired: true,
      rules: { maxLength: 500 },
    },
  ]
}

function Typed(props: {
  word: string
  value: string
  isFirst: boolean
  onChange: (text: string) => void
}) {
  const { t } = useTranslation('console/parts')
  return (
    <TextInput
      label={t('action.type', { word: props.word })}
      value={props.value}
      autoComplete="off"
      spellCheck={false}
      data-autofocus={props.isFirst || undefined}
      onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
    />
  )
}

function Buttons<S>(props: {
  action: Action<S>
  form: UseFormReturn<Values>
  /** Whether the focus begins on Cancel. */
  isFirst: boolean
  isLocked: boolean
  onClose: () => void
}) {
  const { t: common } = useTranslation()
  const { danger, title } = props.action
  return (
    <DialogActions>
      <Button variant="default" onClick={props.onClose} data-autofocus={props.isFirst || undefined}>
        {common('cancel')}
      </Button>
      <Button
        type="submit"
        color={danger === 'R' || danger === 'T' ? 'red' : undefined}
        loading={props.form.formState.isSubmitting}
        disabled={props.isLocked}
      >
        {title}
      </Button>
    </DialogActions>
  )
}

/** In place of the form, where there is nothing more to send. */
function Ended({ text, onClose }: { text: string; onClose: () => void }) {
  const { t: common } = useTranslation()
  return (
    <Stack gap="md">
      <Notice tone="warning">{text}</Notice>
      <DialogActions>
        <Button onClick={onClose}>{common('close')}</Button>
      </DialogActions>
    </Stack>
  )
}
