import { Box, Checkbox, Group, Text } from '@mantine/core'
import { useState } from 'react'
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { SearchField } from '@/ui/search-field'
import type { Field } from './field'
import { foundIn, MANY } from './option'

/** Boxes to tick; they stay in the order of the options, whatever is ticked first. */
export function Choices<V extends FieldValues>(props: {
  field: Field
  form: UseFormReturn<V>
  value: unknown
  error: string | undefined
  isFirst?: boolean
}) {
  const { t } = useTranslation('console/parts')
  const { field, form, value } = props
  const [typed, setTyped] = useState('')
  const options = field.options ?? []
  const found = foundIn(options, typed)
  const change = (chosen: string[]) => {
    const inOrder = options.map((one) => one.value).filter((one) => chosen.includes(one))
    form.setValue(field.name as Path<V>, inOrder.join() as never, {
      shouldValidate: true,
      shouldDirty: true,
    })
  }
  return (
    <Checkbox.Group
      label={field.label}
      description={field.hint}
      error={props.error}
      required={field.isRequired ?? false}
      value={typeof value === 'string' ? value.split(/[\s,，]+/).filter(Boolean) : []}
      onChange={change}
    >
      {options.length >= MANY && (
        <Box
          mt="xs"
          onKeyDown={(event) => {
            // Enter would send the form.
            if (event.key === 'Enter') event.preventDefault()
          }}
        >
          <SearchField
            label={t('form.find', { name: field.label })}
            value={typed}
            onSearch={setTyped}
          />
        </Box>
      )}
      <Group mt="xs" gap="sm">
        {found.map((one, index) => (
          <Checkbox
            key={one.value}
            value={one.value}
            label={one.label}
            data-autofocus={(props.isFirst && index === 0) || undefined}
          />
        ))}
        {options.length > 0 && found.length === 0 && (
          <Text c="dimmed">{t('filter.noneFound')}</Text>
        )}
      </Group>
    </Checkbox.Group>
  )
}
