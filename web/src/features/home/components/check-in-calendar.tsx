import { ActionIcon, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Check, ChevronLeft, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { checkinGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { CheckInDay } from '@/lib/api/gen/types.gen'
import { formatBytes } from '@/lib/bytes'
import { Dialog } from '@/ui/dialog'
import { Loaded } from '@/ui/loaded'
import { addMonths, type CalendarCell, firstDayIn, monthOf, weeksOf } from '../check-in'
import classes from './check-in-calendar.module.css'

const nameOf = (month: string, language: string) =>
  new Intl.DateTimeFormat(language, { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  )

/** Which days of a month the user checked in. */
export function CheckInCalendar({ today, onClose }: { today: string; onClose: () => void }) {
  const { t, i18n } = useTranslation('home')
  const [month, setMonth] = useState(monthOf(today))
  const status = useQuery(checkinGetOptions({ query: { month } }))
  return (
    <Dialog onClose={onClose} title={t('checkIn.calendar')}>
      <div className={classes.months}>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={t('checkIn.previous')}
          onClick={() => setMonth(addMonths(month, -1))}
        >
          <ChevronLeft size={18} />
        </ActionIcon>
        <Text fw={600} aria-live="polite">
          {nameOf(month, i18n.language)}
        </Text>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={t('checkIn.next')}
          disabled={month >= monthOf(today)}
          onClick={() => setMonth(addMonths(month, 1))}
        >
          <ChevronRight size={18} />
        </ActionIcon>
      </div>
      <Loaded query={status} skeleton={<Skeleton height={300} />}>
        {({ days }) => (
          <>
            <MonthTable month={month} days={days} today={today} />
            <Text c="dimmed" size="sm" mt="md">
              <Sum days={days} />
            </Text>
          </>
        )}
      </Loaded>
    </Dialog>
  )
}

function Sum({ days }: { days: readonly CheckInDay[] }) {
  const { t, i18n } = useTranslation('home')
  if (days.length === 0) return t('checkIn.none')
  const bytes = days.reduce((sum, day) => sum + day.bytes, 0)
  return t('checkIn.sum', { count: days.length, bytes: formatBytes(bytes, i18n.language) })
}

function MonthTable(props: { month: string; days: readonly CheckInDay[]; today: string }) {
  const { i18n } = useTranslation('home')
  const firstDay = firstDayIn(i18n.language)
  const weekday = (style: 'narrow' | 'long', day: number) =>
    new Intl.DateTimeFormat(i18n.language, { weekday: style, timeZone: 'UTC' }).format(
      Date.UTC(2026, 10, 1 + day), // a Sunday
    )
  const weekdays = Array.from({ length: 7 }, (_, index) => (index + firstDay) % 7)
  return (
    <table className={classes.table} aria-label={nameOf(props.month, i18n.language)}>
      <thead>
        <tr>
          {weekdays.map((day) => (
            <th key={day} scope="col" abbr={weekday('long', day)}>
              {weekday('narrow', day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(props.month, props.days, firstDay).map((week, row) => (
          <tr key={row}>
            {week.map((cell, column) => (
              <td key={column}>
                {cell && <Day cell={cell} isToday={cell.date === props.today} />}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Day({ cell, isToday }: { cell: CalendarCell; isToday: boolean }) {
  const { i18n } = useTranslation('home')
  return (
    <span
      className={classes.day}
      data-is-checked={cell.checkedIn !== undefined}
      aria-current={isToday ? 'date' : undefined}
    >
      <span className={classes.number}>
        {cell.day}
        {cell.checkedIn && <Check size={12} strokeWidth={2.5} aria-hidden="true" />}
      </span>
      {cell.checkedIn && (
        <span className={classes.bytes}>{formatBytes(cell.checkedIn.bytes, i18n.language)}</span>
      )}
    </span>
  )
}
