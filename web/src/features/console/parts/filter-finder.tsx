import { Stack, Text } from '@mantine/core'
import { type SubmitEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { SearchField } from '@/ui/search-field'
import classes from './filter-bar.module.css'
import type { KnownFilter } from './filters'
import { foundIn } from './option'

/**
 * Finds one of the known values by its words. Enter takes the first one, or what is typed where values begin with that.
 */
export function FilterFinder(props: { filter: KnownFilter; onChange: (value: string) => void }) {
  const { t } = useTranslation('console/parts')
  const { options = [], title, onOpen } = props.filter
  useEffect(onOpen, [onOpen])
  const [typed, setTyped] = useState('')
  const found = foundIn(options, typed)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const text = typed.trim()
    const isBeginning = text !== '' && options.some(({ value }) => value.startsWith(text))
    const value = isBeginning ? text : found[0]?.value
    if (value !== undefined) props.onChange(value)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <SearchField label={title} value={typed} onSearch={setTyped} />
        {options.length > 0 && found.length === 0 && (
          <Text c="dimmed">{t('filter.noneFound')}</Text>
        )}
        <ul className={`${classes.menu} ${classes.found}`}>
          {found.map(({ value, label }) => (
            <li key={value}>
              <button
                type="button"
                className={classes.item}
                title={value}
                onClick={() => props.onChange(value)}
              >
                {label}
              </button>
            </li>
          ))}
        </ul>
      </Stack>
    </form>
  )
}
