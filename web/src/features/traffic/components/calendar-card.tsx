import { ActionIcon, Skeleton, Text, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { trafficCalendarCsv } from '@/lib/api/gen/sdk.gen'
import type { TimeAxisPoint } from '@/lib/api/gen/types.gen'
import { calendarDay } from '@/lib/time'
import { useServerNow } from '@/lib/now'
import { Loaded } from '@/ui/loaded'
import { dateOf } from '../days'
import { addMonths, monthOf } from '../calendar'
import { nameOfMonth } from '../names'
import { calendarOf } from '../queries'
import classes from '../traffic.module.css'
import { useZone } from '../use-zone'
import { MonthTable } from './month-table'
import { SaveCsv } from './save-file'
import { Totals } from './totals'

const route = getRouteApi('/user/subscribe-log-chart')

/** A month of the site's calendar with a pie for each day. */
export function CalendarCard() {
  const { t, i18n } = useTranslation('traffic')
  const search = route.useSearch()
  const zone = useZone()
  const today = calendarDay(useServerNow(), zone)
  const present = monthOf(dateOf(today))
  const month = search.month ?? present
  const days = useQuery({ ...calendarOf(search.month), placeholderData: keepPreviousData })
  return (
    <>
      <header className={classes.head}>
        <Title order={2} size="h3" id="calendar-title">
          {t('calendar.title')}
        </Title>
        <div className={classes.months}>
          <MonthButton to={addMonths(month, -1)} present={present} isBack />
          <Text fw={600} aria-live="polite">
            {nameOfMonth(month, i18n.language)}
          </Text>
          <MonthButton to={addMonths(month, 1)} present={present} />
        </div>
      </header>
      <Loaded query={days} skeleton={<Skeleton className={classes.month} />}>
        {(points) => (
          <div data-stale={days.isPlaceholderData}>
            <Totals {...sumOf(points)} hasColors />
            <MonthTable month={month} points={points} today={today} zone={zone} />
            {points.length === 0 && <Text c="dimmed">{t('calendar.empty')}</Text>}
          </div>
        )}
      </Loaded>
      <div className={classes.files}>
        <SaveCsv
          name={`traffic-${month}`}
          isEmpty={!days.data?.length}
          load={async () =>
            (await trafficCalendarCsv({ query: { year_month: month }, parseAs: 'blob' })).data
          }
        />
      </div>
    </>
  )
}

const sumOf = (points: readonly TimeAxisPoint[]) => ({
  up: points.reduce((sum, point) => sum + point.ss_tx_size, 0),
  down: points.reduce((sum, point) => sum + point.ss_rx_size, 0),
  billed: points.reduce((sum, point) => sum + point.effective_traffic, 0),
})

function MonthButton(props: { to: string; present: string; isBack?: boolean }) {
  const { t } = useTranslation('traffic')
  const navigate = route.useNavigate()
  const { to, present, isBack } = props
  const Icon = isBack ? ChevronLeft : ChevronRight
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={isBack ? t('calendar.previous') : t('calendar.next')}
      disabled={to > present}
      onClick={() =>
        void navigate({
          search: (search) => ({ ...search, month: to === present ? undefined : to }),
          replace: true,
          resetScroll: false,
        })
      }
    >
      <Icon size={18} />
    </ActionIcon>
  )
}
