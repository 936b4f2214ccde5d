import { useTranslation } from 'react-i18next'
import type { ServiceRow } from '@/lib/api/gen/staff/types.gen'
import { Bytes } from '@/ui/bytes'
import { Moment } from '@/ui/moment'
import { StatusDot } from '@/ui/status-dot'
import type { Action } from '../parts/action'
import type { Filter } from '../parts/filters'
import { ListPage } from '../parts/list-page'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { usePlanFilter } from '../parts/use-plan-filter'
import { services } from './resource'
import { type OneService, useServiceActions } from './service-actions'

/** A row, as actions on a service want it. */
const oneOf = ({
  id,
  user,
  plan,
  ended_at: ended,
  end_reason: reason,
}: ServiceRow): OneService => ({
  id,
  user_id: user.id,
  plan_id: plan.id,
  name: `${plan.name} #${id}`,
  ended_at: ended,
  end_reason: reason,
})

/** What runs, and what ran. */
export function ServicesPage() {
  const { t } = useTranslation('console/user')
  return (
    <ListPage
      title={t('servicesList.title')}
      resource={services}
      columns={useColumns()}
      filters={useFilters()}
      search={{ key: 'q', label: t('servicesList.search') }}
      link={({ user }) => ({ to: '/admin/users/$id', params: { id: String(user.id) } })}
      actions={useRowActions()}
      nameOf={({ id }) => `#${id}`}
      empty={t('servicesList.empty')}
    />
  )
}

/** The actions of a user's page, on rows. */
function useRowActions(): Action<ServiceRow>[] {
  return useServiceActions().map(
    ({ key, icon, title, permission, danger, isShown, fields, typed, ...action }) => ({
      key,
      title,
      permission,
      danger,
      ...(icon && { icon }),
      isShown: (row) => isShown?.(oneOf(row)) ?? true,
      ...(fields && { fields: (row: ServiceRow) => fields(oneOf(row)) }),
      ...(typed && { typed: (row: ServiceRow) => typed(oneOf(row)) }),
      effect: (row, values) => action.effect(oneOf(row), values),
      run: (row, values) => action.run(oneOf(row), values),
      done: (row) => action.done(oneOf(row)),
    }),
  )
}

function useColumns(): Column<ServiceRow>[] {
  const { t } = useTranslation('console/user')
  return [
    {
      key: 'id',
      title: t('servicesList.no'),
      width: '6rem',
      cell: ({ id }) => `#${id}`,
    },
    {
      key: 'user',
      title: t('servicesList.user'),
      place: 'title',
      cell: ({ user }) => <Person user={user} />,
    },
    {
      key: 'plan',
      title: t('servicesList.plan'),
      place: 'fact',
      width: '8rem',
      cell: ({ plan }) => plan.name,
    },
    {
      key: 'state',
      title: t('servicesList.state'),
      place: 'state',
      width: '7rem',
      cell: ({ ended_at: ended }) => (
        <StatusDot tone={ended ? 'neutral' : 'success'}>
          {t(ended ? 'servicesList.over' : 'servicesList.running')}
        </StatusDot>
      ),
    },
    {
      key: 'used',
      title: t('servicesList.used'),
      width: '10rem',
      cell: ({ billed_bytes: used, quota_bytes: quota }) => (
        <>
          <Bytes bytes={used} /> / {quota === null ? t('unlimited') : <Bytes bytes={quota} />}
        </>
      ),
    },
    {
      key: 'renews',
      title: t('servicesList.renews'),
      width: '6.5rem',
      cell: ({ auto_renew: renews, ended_at: ended }) =>
        renews && !ended ? t('servicesList.yes') : '—',
    },
    {
      key: 'ends',
      title: t('servicesList.ends'),
      width: '8rem',
      sort: 'ends',
      place: 'fact',
      cell: ({ ended_at: ended, ends_at: ends }) => <Moment time={ended ?? ends} isEnd />,
    },
  ]
}

function useFilters(): Filter[] {
  const { t } = useTranslation('console/user')
  return [
    {
      key: 'ended',
      title: t('servicesList.state'),
      kind: 'choice',
      isSingle: true,
      options: [
        { value: 'none', label: t('servicesList.running') },
        { value: '!none', label: t('servicesList.over') },
      ],
    },
    { key: 'ends', title: t('servicesList.ends'), kind: 'date' },
    { key: 'started', title: t('servicesList.started'), kind: 'date' },
    usePlanFilter({ isPlan: true }),
    { key: 'user', title: t('servicesList.userNo'), kind: 'reference' },
  ]
}
