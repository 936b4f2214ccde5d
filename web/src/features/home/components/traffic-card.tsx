import { Card, SegmentedControl, Skeleton, Title, useComputedColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ChartNoAxesCombined } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { trafficTimeAxisOptions } from '@/api/gen/@tanstack/react-query.gen'
import { siteOptions } from '@/api/site'
import { lazyPart } from '@/app/lazy'
import { chartColors } from '@/shared/charts/chart-colors'
import { Bytes } from '@/shared/ui/bytes'
import { Empty } from '@/shared/ui/empty'
import { Loaded } from '@/shared/ui/loaded'
import { type DayTraffic, DAYS_SHOWN, lastDays, totalOf } from '../traffic-series'
import classes from './traffic-card.module.css'

const TrafficTable = lazyPart(() => import('./traffic-table'), 'TrafficTable')
const AreaChart = lazyPart(() => import('@/shared/charts/area-chart'), 'AreaChart')

/** What went through in the last 30 days, as a picture or as its table. */
export function TrafficCard() {
  const { t } = useTranslation('home')
  const { t: common } = useTranslation()
  const [view, setView] = useState('chart')
  const site = useQuery(siteOptions())
  const traffic = useQuery(trafficTimeAxisOptions({ query: { limit: DAYS_SHOWN, bucket: 'day' } }))
  return (
    <Card component="section" aria-labelledby="traffic-title">
      <header className={classes.head}>
        <Title order={2} size="h3" id="traffic-title">
          {t('traffic.title')}
        </Title>
        <SegmentedControl
          size="sm"
          withItemsBorders={false}
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
            <Traffic
              days={lastDays(points, traffic.dataUpdatedAt, site.data?.time_zone ?? 'UTC')}
              isTable={view === 'table'}
            />
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
      <p className={classes.totals}>
        <Total series={0} name={t('traffic.down')} bytes={total.down} />
        <Total series={1} name={t('traffic.up')} bytes={total.up} />
      </p>
      <Suspense fallback={<Skeleton className={classes.picture} />}>
        {isTable ? <TrafficTable days={days} /> : <TrafficChart days={days} />}
      </Suspense>
    </div>
  )
}

/** A sum, with the colour that its area has in the chart. */
function Total({ series, name, bytes }: { series: number; name: string; bytes: number }) {
  const scheme = useComputedColorScheme('light')
  return (
    <span className={classes.total}>
      <span
        aria-hidden="true"
        className={classes.swatch}
        style={{ background: chartColors(scheme).series[series] }}
      />
      {name} <Bytes bytes={bytes} />
    </span>
  )
}

function TrafficChart({ days }: { days: DayTraffic[] }) {
  const { t } = useTranslation('home')
  const series = useMemo(
    () => ({
      days: days.map(({ day }) => day),
      series: [
        { name: t('traffic.down'), values: days.map((day) => day.down) },
        { name: t('traffic.up'), values: days.map((day) => day.up) },
      ],
    }),
    [days, t],
  )
  return (
    <div className={classes.picture}>
      <AreaChart label={t('traffic.title')} {...series} />
    </div>
  )
}
