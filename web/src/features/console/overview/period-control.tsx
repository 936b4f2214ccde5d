import { Button, Popover, SegmentedControl, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useListSearch } from '../parts/list-search'
import { periodOf, RANGES } from './resource'
import classes from './overview.module.css'

/** Chooses the time that figures are about: it is a part of the address. */
export function PeriodControl() {
  const { t } = useTranslation('console/overview')
  const { search, change } = useListSearch()
  const period = periodOf(search)
  const isOwn = 'from' in period
  return (
    <div className={classes.period}>
      <SegmentedControl
        size="sm"
        withItemsBorders={false}
        aria-label={t('period')}
        value={isOwn ? '' : String(period.days)}
        onChange={(days) => change({ days, from: undefined, until: undefined })}
        data={RANGES.map((days) => ({ value: days, label: t(`range.${days}`) }))}
      />
      <OwnDays
        key={`${search.from} ${search.until}`}
        words={isOwn ? `${period.from} – ${period.until}` : t('own')}
        isChosen={isOwn}
      />
    </div>
  )
}

function OwnDays({ words, isChosen }: { words: string; isChosen: boolean }) {
  const { t } = useTranslation('console/overview')
  const { search, change } = useListSearch()
  const [isOpen, setOpen] = useState(false)
  const [from, setFrom] = useState(search.from ?? '')
  const [until, setUntil] = useState(search.until ?? '')
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button
          variant={isChosen ? 'light' : 'default'}
          size="sm"
          onClick={() => setOpen((was) => !was)}
        >
          {words}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          className={classes.days}
          onSubmit={(event) => {
            event.preventDefault()
            change({ from, until, days: undefined })
          }}
        >
          <TextInput
            type="date"
            label={t('from')}
            value={from}
            onChange={({ currentTarget }) => setFrom(currentTarget.value)}
            required
          />
          <TextInput
            type="date"
            label={t('until')}
            value={until}
            min={from}
            onChange={({ currentTarget }) => setUntil(currentTarget.value)}
            required
          />
          <Button type="submit" size="sm">
            {t('show')}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
