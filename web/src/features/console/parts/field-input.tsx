import {
  Input,
  NativeSelect,
  PasswordInput,
  Switch,
  Text,
  Textarea,
  TextInput,
  type TextInputProps,
} from '@mantine/core'
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useWords } from './changes'
import { Choices } from './choices'
import type { Field } from './field'

/** The input of a field, in a form of react-hook-form. */
export function FieldInput<V extends FieldValues>(props: {
  field: Field
  form: UseFormReturn<V>
  /** What the form has of it now. */
  value: unknown
  /** In a dialog: the one to begin with. */
  isFirst?: boolean
}) {
  const { t } = useTranslation('console/parts')
  const { t: common } = useTranslation()
  const { field, form } = props
  const name = field.name as Path<V>
  const problem = form.formState.errors[name]?.message
  const error = typeof problem === 'string' ? problem : undefined
  const registered = {
    ...form.register(name, { validate: (given: unknown) => problemOf(given, field, t) }),
    ...(props.isFirst && firstFocus),
  }
  const shared = {
    label: field.label,
    description: field.hint,
    error,
    required: field.isRequired ?? false,
    ...registered,
  }
  switch (field.kind) {
    case 'switch':
      // Mantine's switch keeps a state of its own unless it is told: it would not show what a conflict or a draft brought.
      return (
        <Switch
          label={field.label}
          description={field.hint}
          error={error}
          checked={props.value === true}
          {...registered}
        />
      )
    case 'choices':
      return <Choices {...props} error={error} />
    case 'choice':
      return <NativeSelect {...shared} data={[...(field.options ?? [])]} />
    case 'textarea':
    case 'lines':
      return <Textarea {...shared} autosize={false} rows={4} />
    case 'markdown':
      return <Textarea {...shared} rows={12} styles={mono} />
    case 'shown':
      return <Shown field={field} value={props.value} error={error} />
    case 'secret':
      if (field.isLong) return <Textarea {...shared} rows={4} styles={mono} spellCheck={false} />
      return (
        <PasswordInput
          {...shared}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': common('show'), tabIndex: 0 }}
        />
      )
    default:
      return <TextInput {...shared} {...(typed[field.kind] ?? {})} />
  }
}

/** What one may see and not change, and what the server has against it. */
function Shown(props: { field: Field; value: unknown; error: string | undefined }) {
  const { field, value } = props
  const words = useWords()
  const isWord = typeof value === 'string' || typeof value === 'boolean'
  return (
    <Input.Wrapper
      label={field.label}
      description={field.hint}
      error={props.error}
      labelElement="div"
    >
      <Text style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
        {words(field, isWord ? value : undefined)}
      </Text>
    </Input.Wrapper>
  )
}

/** What a dialog gives the focus to when it opens. */
const firstFocus = { 'data-autofocus': true }

const mono = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } }

const typed: Partial<Record<Field['kind'], TextInputProps>> = {
  number: { inputMode: 'numeric' },
  money: { inputMode: 'decimal' },
  datetime: { type: 'datetime-local' },
}

type T = ReturnType<typeof useTranslation<'console/parts'>>['t']

function problemOf(given: unknown, field: Pick<Field, 'rules' | 'isRequired'>, t: T) {
  if (typeof given !== 'string') return true
  const text = given.trim()
  const { rules } = field
  if (text === '') return field.isRequired ? t('form.missing') : true
  const size = Array.from(text).length
  if (rules?.minLength && size < rules.minLength) return t('form.short', { count: rules.minLength })
  if (rules?.maxLength && size > rules.maxLength) return t('form.long', { count: rules.maxLength })
  if (rules?.pattern && !rules.pattern.test(text)) return t('form.pattern')
  return true
}
