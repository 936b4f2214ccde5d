import { useTranslation } from 'react-i18next'
import type { LinkSpread } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Moment } from '@/ui/moment'
import { TextLink } from '@/ui/text-link'
import type { Filter } from '../parts/filters'
import { ListPage } from '../parts/list-page'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { useReset } from './actions'
import { spreads } from './resource'

/** The links that were fetched from many networks: those that are shared or sold on. */
export function SpreadsPage() {
  const { t } = useTranslation('console/link')
  const reset = useReset()
  return (
    <ListPage
      title={t('spreads.title')}
      about={t('spreads.about')}
      resource={spreads}
      columns={useColumns()}
      filters={useFilters()}
      actions={[reset]}
      nameOf={({ user }) => user.email}
      empty={t('spreads.empty')}
      action={
        <ButtonLink variant="default" size="sm" to="/admin/link-fetches">
          {t('fetches.title')}
        </ButtonLink>
      }
    />
  )
}

function useColumns(): Column<LinkSpread>[] {
  const { t } = useTranslation('console/link')
  return [
    {
      key: 'user',
      title: t('column.user'),
      place: 'title',
      cell: ({ user }) => <Person user={user} />,
    },
    {
      key: 'networks',
      title: t('column.networks'),
      place: 'state',
      width: '7rem',
      align: 'end',
      cell: ({ networks }) => networks,
    },
    {
      key: 'areas',
      title: t('column.areas'),
      width: '7rem',
      align: 'end',
      cell: ({ areas }) => areas,
    },
    {
      key: 'fetches',
      title: t('column.fetches'),
      place: 'fact',
      width: '7rem',
      align: 'end',
      cell: ({ user, fetches }) => (
        <TextLink to="/admin/link-fetches" search={{ user: user.id } as never} underline="hover">
          {fetches}
        </TextLink>
      ),
    },
    {
      key: 'last',
      title: t('column.last'),
      place: 'fact',
      width: '12rem',
      cell: ({ last_at: time }) => <Moment time={time} withTime />,
    },
    {
      key: 'made',
      title: t('column.made'),
      width: '12rem',
      cell: ({ reset_at: time }) => <Moment time={time} withTime />,
    },
  ]
}

const HOURS = ['6', '24', '72', '168', '720'] as const
const NETWORKS = ['2', '3', '5', '10', '20'] as const

function useFilters(): Filter[] {
  const { t } = useTranslation('console/link')
  return [
    {
      key: 'hours',
      title: t('spreads.within'),
      kind: 'choice',
      isSingle: true,
      options: HOURS.map((value) => ({
        value,
        label: t('spreads.hours', { count: Number(value) }),
      })),
    },
    {
      key: 'least',
      title: t('spreads.least'),
      kind: 'choice',
      isSingle: true,
      options: NETWORKS.map((value) => ({ value, label: value })),
    },
  ]
}
