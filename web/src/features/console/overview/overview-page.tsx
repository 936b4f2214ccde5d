import { Card, Skeleton, Stack, Title } from '@mantine/core'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight, CircleCheck } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '@/lib/bytes'
import { useCurrency } from '@/lib/currency'
import { formatMoney } from '@/lib/money'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { FirstLoad } from '../parts/first-load'
import { useListSearch } from '../parts/list-search'
import { useMay } from '../parts/permissions'
import { FirstSteps } from './first-steps'
import { DayBars, Figures, PeriodControl } from './lazy-figures'
import classes from './overview.module.css'
import { overviewOf, periodOf } from './resource'
import { waiting, waitingOf } from './waiting'

const trouble = [
  'nodes_online',
  'nodes_late',
  'nodes_offline',
  'tickets',
  'cases',
  'failed_payments',
  'failed_jobs',
  'late_jobs',
] as const

/** What needs attention, and how the shop does; each line and figure leads to its list. */
export function OverviewPage() {
  const { t } = useTranslation('console/overview')
  const may = useMay()
  const period = periodOf(useListSearch().search)
  const shop = useQuery({ ...overviewOf(period, 'shop'), placeholderData: keepPreviousData })
  return (
    <div data-wide>
      <PageHeader title={t('title')} />
      <FirstLoad isLoading={shop.isLoading}>
        {shop.data && <FirstSteps steps={shop.data.steps} />}
        <Stack gap="xl">
          <Part title={t('waiting')}>
            <Waiting />
          </Part>
          <Suspense fallback={<Skeleton height={420} radius="lg" />}>
            <PeriodControl />
            <Loaded query={shop} skeleton={<Skeleton height={420} radius="lg" />} hasCards>
              {(data) => (
                <>
                  <Part title={t('part.money')}>
                    <Revenue days={data.days} />
                    <Figures
                      of={data}
                      keys={['revenue', 'received', 'orders', 'unpaid_orders', 'returned', 'gifts']}
                    />
                  </Part>
                  {may('traffic.total.read') && (
                    <Part title={t('part.traffic')}>
                      <Traffic />
                    </Part>
                  )}
                  <Part title={t('part.users')}>
                    <Figures
                      of={data}
                      keys={['new_users', 'seen_users', 'expiring', 'exhausted', 'banned']}
                    />
                  </Part>
                  <Part title={t('part.trouble')}>
                    <Figures of={data} keys={trouble} />
                  </Part>
                </>
              )}
            </Loaded>
          </Suspense>
        </Stack>
      </FirstLoad>
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={2} size="h3" mb="sm">
        {title}
      </Title>
      {children}
    </section>
  )
}

function Revenue({ days }: { days: { begins_at: string; revenue: string | null }[] }) {
  const { t, i18n } = useTranslation('console/overview')
  const currency = useCurrency()
  if (days.length < 2) return null
  return (
    <DayBars
      title={t('chart.revenue')}
      bars={days.map(({ begins_at: at, revenue }) => ({ at, value: Number(revenue) }))}
      format={(value) => formatMoney(String(value), currency, i18n.language)}
    />
  )
}

/** Added up of the log, which takes longer: the rest of the page does not wait for it. */
function Traffic() {
  const { t, i18n } = useTranslation('console/overview')
  const period = periodOf(useListSearch().search)
  const query = useQuery({ ...overviewOf(period, 'traffic'), placeholderData: keepPreviousData })
  return (
    <Loaded query={query} skeleton={<Skeleton height={240} radius="lg" />} hasCards>
      {(data) => (
        <>
          {data.days.length > 1 && (
            <DayBars
              title={t('chart.traffic')}
              bars={data.days.map(({ begins_at: at, moved_bytes: moved }) => ({
                at,
                value: moved ?? 0,
              }))}
              format={(value) => formatBytes(value, i18n.language)}
            />
          )}
          <Figures of={data} keys={['traffic', 'billed_traffic', 'active_users']} />
        </>
      )}
    </Loaded>
  )
}

function Waiting() {
  const { t, i18n } = useTranslation('console/overview')
  const may = useMay()
  const shown = waiting.filter(({ permissions }) => permissions.every(may))
  const found = useQueries({
    queries: shown.map((line) => ({ ...waitingOf(line), refetchInterval: 15_000 })),
  })
  if (found.some(({ isPending }) => isPending)) return <Skeleton height={180} radius="lg" />
  const lines = shown.flatMap((one, index) => {
    const { data = { link: one.link, count: null } } = found[index] ?? {}
    return data.count === 0 ? [] : [{ key: one.key, ...data }]
  })
  if (lines.length === 0)
    return (
      <Card>
        <Empty icon={CircleCheck} text={t('nothing')} />
      </Card>
    )
  const number = new Intl.NumberFormat(i18n.language)
  return (
    <ul className={classes.lines}>
      {lines.map(({ key, link, count }) => (
        <li key={key}>
          <Link {...link} className={classes.line}>
            {/* What could not be counted is unknown, not 0. */}
            <span className={classes.count}>{count === null ? '—' : number.format(count)}</span>
            {t(key)}
            <ChevronRight size={16} strokeWidth={1.75} aria-hidden="true" />
          </Link>
        </li>
      ))}
    </ul>
  )
}
