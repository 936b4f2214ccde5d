import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from './resource-form.module.css'
import type { Field } from './field'
import type { FormValues } from './resource-form'

/** A field's value in words. */
export function useWords() {
  const { t } = useTranslation('console/parts')
  return (field: Field, value: string | boolean | undefined): string => {
    if (field.kind === 'secret') return value ? t('form.newSecret') : t('form.sameSecret')
    if (typeof value === 'boolean') return t(value ? 'form.on' : 'form.off')
    const labelOf = (one: string) => field.options?.find((option) => option.value === one)?.label
    if (field.kind === 'choices')
      return (value ?? '')
        .split(',')
        .map((one) => labelOf(one) ?? (one || '—'))
        .join(', ')
    return labelOf(value ?? '') ?? (value || '—')
  }
}

/** What will be saved: each changed field, before and after. */
export function Changes(props: {
  fields: readonly Field[]
  before: FormValues
  after: FormValues
  changed: readonly string[]
}) {
  const { t } = useTranslation('console/parts')
  const words = useWords()
  const shown = props.fields.filter(({ name }) => props.changed.includes(name))
  if (shown.length === 0)
    return (
      <Text c="dimmed" size="sm" mb="sm">
        {t('form.noChanges')}
      </Text>
    )
  return (
    <dl className={classes.changes}>
      {shown.map((field) => (
        <div key={field.name}>
          <dt>{field.label}</dt>
          <dd>
            <del>{words(field, props.before[field.name])}</del>{' '}
            <ins>{words(field, props.after[field.name])}</ins>
          </dd>
        </div>
      ))}
    </dl>
  )
}
