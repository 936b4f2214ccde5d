import { SegmentedControl } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Anomaly } from '@/lib/api/gen/staff/types.gen'
import { siteOptions } from '@/lib/api/site'
import { calendarDay, formatCalendarDay } from '@/lib/time'
import { Bytes } from '@/ui/bytes'
import { Moment } from '@/ui/moment'
import { TextLink } from '@/ui/text-link'
import type { Filter } from '../parts/filters'
import { ListPage } from '../parts/list-page'
import { useListSearch } from '../parts/list-search'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { anomalies, isOfDays, type Kind, KINDS, kindOf } from './anomalies'

/** Users and nodes that stand out: by their traffic, by their addresses, by who fetches their link. */
export function AnomaliesPage() {
  const { t } = useTranslation('console/traffic')
  const { search, change } = useListSearch()
  const isNarrow = useMediaQuery('(max-width: 56.25em)')
  const kind = kindOf(search)
  return (
    <ListPage
      title={t('anomalies.title')}
      about={t(`anomalies.about.${kind}`)}
      resource={anomalies}
      columns={useColumns(kind)}
      filters={useFilters(kind)}
      above={
        <SegmentedControl
          size="sm"
          mb="md"
          withItemsBorders={false}
          orientation={isNarrow ? 'vertical' : 'horizontal'}
          aria-label={t('anomalies.kind')}
          value={kind}
          // The least of one kind says nothing of another.
          onChange={(value) => change({ kind: value, least: undefined })}
          data={KINDS.map((value) => ({ value, label: t(`anomalies.kinds.${value}`) }))}
        />
      }
      empty={t('anomalies.empty')}
    />
  )
}

const RIGHT = { width: '9rem', align: 'end' } as const

function useColumns(kind: Kind): Column<Anomaly>[] {
  const { t } = useTranslation('console/traffic')
  const ofDays = useDayColumns(kind)
  const ofCounts = useCountColumns(kind)
  return [
    {
      key: 'who',
      title: t('anomalies.who'),
      place: 'title',
      cell: ({ user, node }) => (node ? <NodeLink node={node} /> : <Person user={user} />),
    },
    ...(isOfDays(kind) ? ofDays : ofCounts),
  ]
}

/** What was counted of a user, and when that was last seen. */
function useCountColumns(kind: Kind): Column<Anomaly>[] {
  const { t } = useTranslation('console/traffic')
  return [
    {
      key: 'value',
      title: t(kind === 'networks' ? 'anomalies.of.networks' : 'anomalies.of.addresses'),
      place: 'state',
      ...RIGHT,
      cell: ({ user, value }) =>
        kind === 'networks' && user ? (
          <TextLink to="/admin/link-fetches" search={{ user: user.id } as never} underline="hover">
            {value}
          </TextLink>
        ) : (
          value
        ),
    },
    {
      key: 'at',
      title: t('anomalies.last'),
      place: 'fact',
      width: '12rem',
      cell: ({ at }) => <Moment time={at} withTime />,
    },
  ]
}

/** The bytes of a day, and what they are compared with. */
function useDayColumns(kind: Kind): Column<Anomaly>[] {
  const { t, i18n } = useTranslation('console/traffic')
  const zone = useQuery(siteOptions()).data?.time_zone ?? 'UTC'
  const number = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 })
  return [
    {
      key: 'day',
      title: t('anomalies.day'),
      place: 'fact',
      width: '9rem',
      cell: ({ at }) => formatCalendarDay(calendarDay(Date.parse(at), zone), i18n.language),
    },
    {
      key: 'value',
      title: t(kind === 'interface' ? 'anomalies.counted' : 'anomalies.moved'),
      place: 'state',
      ...RIGHT,
      cell: ({ value }) => (value > 0 ? <Bytes bytes={value} /> : '—'),
    },
    {
      key: 'usual',
      title: t(kind === 'interface' ? 'anomalies.carried' : 'anomalies.usual'),
      place: 'fact',
      ...RIGHT,
      cell: ({ usual }) => (usual === null ? '—' : <Bytes bytes={usual} />),
    },
    {
      key: 'times',
      title: t('anomalies.times'),
      width: '7rem',
      align: 'end',
      cell: ({ value, usual }) => (usual === null ? '—' : `× ${number.format(value / usual)}`),
    },
  ]
}

function NodeLink({ node }: { node: { id: number; name: string } }) {
  return (
    <TextLink to="/admin/nodes/$id" params={{ id: String(node.id) }} underline="hover">
      {node.name || `#${node.id}`}
    </TextLink>
  )
}

const DAYS = ['1', '7', '30', '60'] as const
const TIMES = ['2', '5', '10', '20', '50'] as const
const COUNTS = ['2', '3', '5', '10', '20', '50'] as const

function useFilters(kind: Kind): Filter[] {
  const { t } = useTranslation('console/traffic')
  const isDays = isOfDays(kind)
  return [
    {
      key: 'days',
      title: t('anomalies.within'),
      kind: 'choice',
      isSingle: true,
      options: DAYS.map((value) => ({
        value,
        label: t('anomalies.days', { count: Number(value) }),
      })),
    },
    {
      key: 'least',
      title: t(isDays ? 'anomalies.leastTimes' : 'anomalies.least'),
      kind: 'choice',
      isSingle: true,
      options: (isDays ? TIMES : COUNTS).map((value) => ({
        value,
        label: isDays ? `× ${value}` : value,
      })),
    },
  ]
}
