import { Button, Checkbox, Group, NativeSelect, Stack, Switch, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { SearchField } from '@/ui/search-field'
import { FilterFinder } from './filter-finder'
import { choicesOf, choiceText, endsOf, type Filter, rangeOf } from './filters'
import { foundIn, MANY } from './option'

type Props<F = Filter> = {
  filter: F
  value: string
  onChange: (value: string | undefined) => void
}

/** Where a filter's value is chosen or typed. */
export function FilterField({ filter, value, onChange }: Props) {
  if (filter.kind === 'choice') return <Choice filter={filter} value={value} onChange={onChange} />
  if (filter.kind === 'known') return <FilterFinder filter={filter} onChange={onChange} />
  if (filter.kind === 'text' || filter.kind === 'reference')
    return <Text filter={filter} value={value} onChange={onChange} />
  return <Range filter={filter} value={value} onChange={onChange} />
}

function Choice({ filter, value, onChange }: Props<Extract<Filter, { kind: 'choice' }>>) {
  const { t } = useTranslation('console/parts')
  const { isNot, values } = choicesOf(value)
  const { options, onOpen } = filter
  useEffect(() => onOpen?.(), [onOpen])
  const [typed, setTyped] = useState('')
  if (filter.isSingle)
    return (
      <NativeSelect
        label={filter.title}
        value={value}
        data={[{ value: '', label: t('filter.any') }, ...options]}
        onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
      />
    )
  return (
    <Stack gap="sm">
      <Checkbox.Group
        label={filter.title}
        value={values}
        onChange={(next) => onChange(choiceText(next, isNot))}
      >
        {options.length >= MANY && (
          <SearchField
            label={t('form.find', { name: filter.title })}
            value={typed}
            onSearch={setTyped}
          />
        )}
        <Stack gap="xs" mt="xs">
          {foundIn(options, typed).map((option) => (
            <Checkbox key={option.value} value={option.value} label={option.label} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Switch
        size="sm"
        label={t('filter.not')}
        checked={isNot}
        disabled={values.length === 0}
        onChange={({ currentTarget }) => onChange(choiceText(values, currentTarget.checked))}
      />
    </Stack>
  )
}

function Text({ filter, value, onChange }: Props) {
  const { t } = useTranslation('console/parts')
  const [text, setText] = useState(value)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onChange(text.trim() || undefined)
      }}
    >
      <Group align="end" gap="xs" wrap="nowrap">
        <TextInput
          label={filter.title}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button type="submit">{t('filter.apply')}</Button>
      </Group>
    </form>
  )
}

function Range({ filter, value, onChange }: Props) {
  const { t } = useTranslation('console/parts')
  const [ends, setEnds] = useState(() => endsOf(value))
  const type = filter.kind === 'date' ? 'date' : 'text'
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onChange(rangeOf(ends[0].trim(), ends[1].trim()))
      }}
    >
      <Stack gap="xs">
        <TextInput
          type={type}
          inputMode={type === 'text' ? 'decimal' : undefined}
          label={t('filter.from', { name: filter.title })}
          value={ends[0]}
          onChange={({ currentTarget }) => setEnds([currentTarget.value, ends[1]])}
        />
        <TextInput
          type={type}
          inputMode={type === 'text' ? 'decimal' : undefined}
          label={t('filter.to', { name: filter.title })}
          value={ends[1]}
          onChange={({ currentTarget }) => setEnds([ends[0], currentTarget.value])}
        />
        <Button type="submit">{t('filter.apply')}</Button>
      </Stack>
    </form>
  )
}
