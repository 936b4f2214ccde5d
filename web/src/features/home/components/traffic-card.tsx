import { Card, SegmentedControl, Skeleton, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ChartNoAxesCombined } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { trafficTimeAxisOptions } from '@/api/gen/@tanstack/react-query.gen'
import { lazyPart } from '@/app/lazy'
import { Bytes } from '@/shared/ui/bytes'
import { Empty } from '@/shared/ui/empty'
import { Loaded } from '@/shared/ui/loaded'
import { Moment } from '@/shared/ui/moment'
import { type DayTraffic, DAYS_SHOWN, lastDays, totalOf } from '../traffic-series'
import classes from './traffic-card.module.css'

const AreaChart = lazyPart(() => import('@/shared/charts/area-chart'), 'AreaChart')

/** What went through in the last 30 days, as a picture or as its table. */
export function TrafficCard() {
  const { t } = useTranslation('home')
  const { t: common } = useTranslation()
  const [view, setView] = useState('chart')
  const traffic = useQuery(trafficTimeAxisOptions({ query: { limit: DAYS_SHOWN, bucket: 'day' } }))
  return (
    <Card component="section" aria-labelledby="traffic-title">
      <header className={classes.head}>
        <Title order={2} size="h3" id="traffic-title">
          {t('traffic.title')}
        </Title>
        <SegmentedControl
          size="sm"
          aria-label={t('traffic.view')}
          value={view}
          onChange={setView}
          data={[
            { value: 'chart', label: common('asChart') },
            { value: 'table', label: common('asTable') },
          ]}
        />
      </header>
      <Loaded query={traffic} skeleton={<Skeleton className={classes.body} />}>
        {(points) =>
          points.length === 0 ? (
            <Empty icon={ChartNoAxesCombined} text={t('traffic.empty')} />
          ) : (
            <Traffic days={lastDays(points, Date.now())} isTable={view === 'table'} />
          )
        }
      </Loaded>
    </Card>
  )
}

function Traffic({ days, isTable }: { days: DayTraffic[]; isTable: boolean }) {
  const { t } = useTranslation('home')
  const total = totalOf(days)
  return (
    <div className={classes.body}>
      <Text c="dimmed" size="sm">
        {t('traffic.down')} <Bytes bytes={total.down} /> · {t('traffic.up')}{' '}
        <Bytes bytes={total.up} />
      </Text>
      {isTable ? <TrafficTable days={days} /> : <TrafficChart days={days} />}
    </div>
  )
}

function TrafficChart({ days }: { days: DayTraffic[] }) {
  const { t } = useTranslation('home')
  const series = useMemo(
    () => ({
      times: days.map((day) => day.time),
      series: [
        { name: t('traffic.down'), values: days.map((day) => day.down) },
        { name: t('traffic.up'), values: days.map((day) => day.up) },
      ],
    }),
    [days, t],
  )
  return (
    <div className={classes.picture}>
      <Suspense fallback={<Skeleton height="100%" />}>
        <AreaChart label={t('traffic.title')} {...series} />
      </Suspense>
    </div>
  )
}

function TrafficTable({ days }: { days: DayTraffic[] }) {
  const { t } = useTranslation('home')
  return (
    <div
      className={classes.picture}
      data-scrolls
      tabIndex={0}
      role="region"
      aria-labelledby="traffic-title"
    >
      <Table stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('traffic.day')}</Table.Th>
            <Table.Th ta="right">{t('traffic.down')}</Table.Th>
            <Table.Th ta="right">{t('traffic.up')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {days.toReversed().map((day) => (
            <Table.Tr key={day.time}>
              <Table.Td>
                <Moment time={new Date(day.time).toISOString()} />
              </Table.Td>
              <Table.Td ta="right">
                <Bytes bytes={day.down} />
              </Table.Td>
              <Table.Td ta="right">
                <Bytes bytes={day.up} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
