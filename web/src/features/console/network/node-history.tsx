import { NativeSelect, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { NodeHistory as History, NodeMoment } from '@/lib/api/gen/staff/types.gen'
import { lazyPart } from '@/lib/lazy-part'
import { formatDateTime } from '@/lib/time'
import { Bytes } from '@/ui/bytes'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { StatusDot } from '@/ui/status-dot'
import { useListSearch } from '../parts/list-search'
import { Item, Items, Section } from '../parts/section'
import { historyOf } from './resource'

const AreaChart = lazyPart(() => import('@/ui/charts/area-chart'), 'AreaChart')
const HOURS = ['6', '24', '72', '168', '720'] as const

/** How a node was in the last hours, and when it was away. */
export function NodeHistory({ id }: { id: string }) {
  const { t } = useTranslation('console/node')
  const { search, change } = useListSearch()
  const hours = HOURS.find((one) => one === search.hours) ?? '24'
  const query = useQuery(historyOf(id, Number(hours)))
  return (
    <>
      <NativeSelect
        label={t('history.span')}
        value={hours}
        data={HOURS.map((value) => ({ value, label: t('hours', { count: Number(value) }) }))}
        onChange={({ currentTarget }) => change({ hours: currentTarget.value }, { replace: true })}
        maw={240}
      />
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(history) => (
          <>
            <Charts history={history} />
            <Outages outages={history.outages} />
          </>
        )}
      </Loaded>
    </>
  )
}

type Drawn = { name: string; of: (moment: NodeMoment) => number }

const percent = (value: number) => `${Math.round(value)}%`
const count = (value: number) => String(Math.round(value))

function Charts({ history }: { history: History }) {
  const { t } = useTranslation('console/node')
  const { moments } = history
  if (moments.length === 0)
    return (
      <Section title={t('history.load')}>
        <Text c="dimmed">{t('history.none')}</Text>
      </Section>
    )
  return (
    <>
      <Chart
        title={t('history.load')}
        moments={moments}
        drawn={[{ name: t('fact.cpu'), of: ({ cpu }) => cpu }]}
        figure={percent}
      />
      <Chart
        title={t('history.traffic')}
        moments={moments}
        drawn={[
          { name: t('fact.down'), of: ({ down_bps: down }) => down },
          { name: t('fact.up'), of: ({ up_bps: up }) => up },
        ]}
      />
      <Chart
        title={t('history.users')}
        moments={moments}
        drawn={[{ name: t('column.users'), of: ({ online_users: users }) => users }]}
        figure={count}
      />
    </>
  )
}

function Chart(props: {
  title: string
  moments: readonly NodeMoment[]
  drawn: readonly Drawn[]
  figure?: (value: number) => string
}) {
  const { t, i18n } = useTranslation('console/node')
  const { moments, drawn, figure } = props
  const days = useMemo(() => moments.map(({ at }) => Date.parse(at)), [moments])
  const names = useMemo(() => {
    const point = (time: number) => formatDateTime(time, i18n.language)
    return { point, tick: point }
  }, [i18n.language])
  const values = drawn.map(({ of }) => moments.map(of))
  const most = Math.max(...values.flat())
  const all = values[0] ?? []
  const average = all.reduce((sum, value) => sum + value, 0) / all.length
  const shown = (value: number) => (figure ? figure(value) : <Bytes bytes={Math.round(value)} />)
  return (
    <Section title={props.title}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t('history.most')} {shown(most)} · {t('history.average')} {shown(average)}
        </Text>
        <Suspense fallback={<Skeleton height={260} />}>
          <AreaChart
            label={props.title}
            days={days}
            names={names}
            series={drawn.map(({ name }, index) => ({ name, values: values[index] ?? [] }))}
            {...(figure && { figure })}
          />
        </Suspense>
      </Stack>
    </Section>
  )
}

function Outages({ outages }: { outages: History['outages'] }) {
  const { t } = useTranslation('console/node')
  return (
    <Section title={t('history.outages')}>
      <Items empty={t('history.noOutages')}>
        {outages.map(({ began_at: began, ended_at: ended }) => (
          <Item
            key={began}
            name={<Moment time={began} withTime />}
            state={
              <StatusDot tone={ended ? 'neutral' : 'error'}>
                {t(ended ? 'history.over' : 'history.lasts')}
              </StatusDot>
            }
            about={ended && <Moment time={ended} withTime />}
          />
        ))}
      </Items>
    </Section>
  )
}
