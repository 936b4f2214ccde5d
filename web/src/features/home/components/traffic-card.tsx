import { Button, Card, Skeleton, Title, useComputedColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ChartNoAxesCombined } from 'lucide-react'
import { Suspense, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { dashboardGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { siteOptions } from '@/lib/api/site'
import { lazyPart } from '@/lib/lazy-part'
import { chartColors } from '@/ui/charts/chart-colors'
import { useInView } from '@/lib/in-view'
import { Bytes } from '@/ui/bytes'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { TextLink } from '@/ui/text-link'
import { recentTraffic } from '../queries'
import { type DayTraffic, lastCalendarDays, lastDays, totalOf } from '../traffic-series'
import classes from './traffic-card.module.css'

const TrafficTable = lazyPart(() => import('./traffic-table'), 'TrafficTable')
const AreaChart = lazyPart(() => import('@/ui/charts/area-chart'), 'AreaChart')

/** What went through in the last 30 days, as a picture or as its table. */
export function TrafficCard() {
  const { t } = useTranslation('home')
  const { t: common } = useTranslation()
  const [isTable, setTable] = useState(false)
  const site = useQuery(siteOptions())
  const traffic = useQuery(recentTraffic())
  const since = useQuery(dashboardGetOptions()).data?.created_at
  const zone = site.data?.time_zone ?? 'UTC'
  const now = traffic.dataUpdatedAt
  return (
    <Card component="section" aria-labelledby="traffic-title">
      <header className={classes.head}>
        <Title order={2} size="h3" id="traffic-title">
          {t('traffic.title')}
        </Title>
        <Button variant="default" size="sm" onClick={() => setTable(!isTable)}>
          {common(isTable ? 'asChart' : 'asTable')}
        </Button>
      </header>
      <Loaded query={traffic} skeleton={<Skeleton className={classes.body} />}>
        {(points) =>
          points.length === 0 ? (
            <Empty icon={ChartNoAxesCombined} text={t('traffic.empty')} />
          ) : (
            <Traffic
              days={lastDays(points, now, zone, since)}
              axis={lastCalendarDays(now, zone)}
              isTable={isTable}
            />
          )
        }
      </Loaded>
      <TextLink to="/user/subscribe-log-chart">{t('traffic.more')}</TextLink>
    </Card>
  )
}

function Traffic(props: { days: DayTraffic[]; axis: number[]; isTable: boolean }) {
  const { t } = useTranslation('home')
  const { days, isTable } = props
  const total = totalOf(days)
  return (
    <div className={classes.body}>
      <p className={classes.totals}>
        <Total series={0} name={t('traffic.down')} bytes={total.down} />
        <Total series={1} name={t('traffic.up')} bytes={total.up} />
        {!isTable && <OpenDay />}
      </p>
      <Suspense fallback={<Skeleton className={classes.picture} />}>
        {isTable ? <TrafficTable days={days} /> : <TrafficChart days={days} axis={props.axis} />}
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

/** What the dashes in the chart mean. */
function OpenDay() {
  const { t } = useTranslation('home')
  return (
    <span className={classes.total}>
      <span aria-hidden="true" className={classes.dashes} />
      {t('traffic.today')}
    </span>
  )
}

function TrafficChart({ days, axis }: { days: DayTraffic[]; axis: number[] }) {
  const { t } = useTranslation('home')
  const series = useMemo(() => {
    const byDay = new Map(days.map((entry) => [entry.day, entry]))
    return {
      days: axis,
      series: [
        { name: t('traffic.down'), values: axis.map((day) => byDay.get(day)?.down ?? null) },
        { name: t('traffic.up'), values: axis.map((day) => byDay.get(day)?.up ?? null) },
      ],
      unfinished: t('traffic.soFar'),
    }
  }, [days, axis, t])
  const place = useRef<HTMLDivElement>(null)
  const isInView = useInView(place)
  const waiting = <Skeleton height="100%" />
  return (
    <div ref={place} className={classes.picture}>
      <Suspense fallback={waiting}>
        {isInView ? <AreaChart label={t('traffic.title')} {...series} /> : waiting}
      </Suspense>
    </div>
  )
}
