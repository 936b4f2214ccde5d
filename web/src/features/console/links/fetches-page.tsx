import { useTranslation } from 'react-i18next'
import type { LinkFetchRow } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Moment } from '@/ui/moment'
import { StatusDot } from '@/ui/status-dot'
import type { Filter } from '../parts/filters'
import { ListPage } from '../parts/list-page'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { useAreaName } from '../parts/use-area-name'
import { useReset } from './actions'
import { fetches } from './resource'

/** Who fetched whose link, with what, from where, and what came. */
export function FetchesPage() {
  const { t } = useTranslation('console/link')
  const reset = useReset()
  return (
    <ListPage
      title={t('fetches.title')}
      about={t('fetches.about')}
      resource={fetches}
      columns={useColumns()}
      filters={useFilters()}
      search={{ key: 'q', label: t('fetches.search') }}
      actions={[reset]}
      nameOf={({ user, ip }) => `${user.email} · ${ip}`}
      empty={t('fetches.empty')}
      action={
        <ButtonLink variant="default" size="sm" to="/admin/link-fetches/spreads">
          {t('spreads.title')}
        </ButtonLink>
      }
    />
  )
}

/** The country's name in the reader's language, and the address. */
function usePlace() {
  const areaName = useAreaName()
  return ({ ip, area }: LinkFetchRow) => (area === 'ZZ' ? ip : `${areaName(area)} · ${ip}`)
}

const LEAST_FAILED = 400
const UNCHANGED = 304

function Answer({ row }: { row: LinkFetchRow }) {
  const { t } = useTranslation('console/link')
  const { status, format, nodes, left_out: left } = row
  if (status >= LEAST_FAILED)
    return <StatusDot tone="error">{t('fetches.refused', { status })}</StatusDot>
  if (status === UNCHANGED) return <StatusDot tone="success">{t('fetches.unchanged')}</StatusDot>
  if (format === 'html') return <StatusDot tone="neutral">{t('fetches.page')}</StatusDot>
  return (
    <StatusDot tone={left > 0 ? 'warning' : 'success'}>
      {t('fetches.nodes', { count: nodes })}
      {left > 0 && ` · ${t('fetches.leftOut', { count: left })}`}
    </StatusDot>
  )
}

function useColumns(): Column<LinkFetchRow>[] {
  const { t } = useTranslation('console/link')
  const placeOf = usePlace()
  return [
    {
      key: 'user',
      title: t('column.user'),
      place: 'title',
      cell: ({ user }) => <Person user={user} />,
    },
    {
      key: 'client',
      title: t('column.client'),
      place: 'fact',
      width: '11rem',
      cell: ({ client, version, user_agent: agent }) => (
        <span title={agent}>{[client || '—', version].filter(Boolean).join(' ')}</span>
      ),
    },
    { key: 'format', title: t('column.format'), width: '8rem', cell: ({ format }) => format },
    {
      key: 'place',
      title: t('column.place'),
      place: 'fact',
      cell: placeOf,
    },
    {
      key: 'answer',
      title: t('column.answer'),
      place: 'state',
      width: '12rem',
      cell: (row) => <Answer row={row} />,
    },
    {
      key: 'at',
      title: t('column.at'),
      place: 'fact',
      width: '11rem',
      sort: 'fetched',
      cell: ({ at: time }) => <Moment time={time} withTime />,
    },
  ]
}

function useFilters(): Filter[] {
  const { t } = useTranslation('console/link')
  return [
    { key: 'fetched', title: t('column.at'), kind: 'date' },
    { key: 'client', title: t('column.client'), kind: 'text' },
    { key: 'format', title: t('column.format'), kind: 'text' },
    { key: 'area', title: t('filter.area'), kind: 'text' },
    { key: 'ip', title: t('filter.ip'), kind: 'text' },
    { key: 'status', title: t('filter.status'), kind: 'range' },
    { key: 'user', title: t('filter.user'), kind: 'reference' },
  ]
}
