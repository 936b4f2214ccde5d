import { Plus, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffShareAccountRemove } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffShareAccount } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Moment } from '@/ui/moment'
import type { Action } from '../parts/action'
import { ListPage } from '../parts/list-page'
import { useMay } from '../parts/permissions'
import { usePlanName } from '../parts/plan-names'
import type { Column } from '../parts/resource'
import { useRotation } from './share-rotation'
import { ShareState } from './share-state'
import { shareAccounts } from './resource'

/** Accounts of other services that customers share. */
export function ShareAccountsPage() {
  const { t } = useTranslation('console/support')
  const may = useMay()
  return (
    <ListPage
      title={t('shares.title')}
      about={t('shares.about')}
      resource={shareAccounts}
      columns={useColumns()}
      link={({ id }) => ({ to: '/admin/share-accounts/$id', params: { id: String(id) } })}
      actions={[useRotation(), useRemoval()]}
      nameOf={({ name }) => name}
      empty={t('shares.empty')}
      action={
        may('shareaccount.write') && (
          <ButtonLink to="/admin/share-accounts/new" leftSection={<Plus size={16} aria-hidden />}>
            {t('shares.new')}
          </ButtonLink>
        )
      }
    />
  )
}

function useColumns(): Column<StaffShareAccount>[] {
  const { t } = useTranslation('console/support')
  const planName = usePlanName()
  return [
    { key: 'name', title: t('column.name'), place: 'title', cell: ({ name }) => name },
    { key: 'login', title: t('share.login'), place: 'fact', cell: ({ login }) => login || '—' },
    {
      key: 'plans',
      title: t('share.plan_ids'),
      width: '9rem',
      cell: ({ plan_ids: plans }) =>
        plans?.map((id) => planName(id) ?? `#${id}`).join(', ') || t('shares.any'),
    },
    {
      key: 'users',
      title: t('shares.users'),
      width: '8rem',
      align: 'end',
      place: 'fact',
      cell: ({ users, max_users: most }) => (most ? `${users} / ${most}` : users),
    },
    {
      key: 'rotated',
      title: t('shares.rotated'),
      width: '9rem',
      cell: ({ rotated_at: time }) => <Moment time={time} />,
    },
    {
      key: 'state',
      title: t('column.state'),
      width: '8rem',
      place: 'state',
      cell: (one) => <ShareState account={one} />,
    },
  ]
}

function useRemoval(): Action<StaffShareAccount> {
  const { t } = useTranslation('console/support')
  return {
    key: 'remove',
    icon: Trash2,
    title: t('remove'),
    permission: 'shareaccount.write',
    danger: 'C',
    effect: ({ name }) => t('shares.removeEffect', { name }),
    run: ({ id }) => staffShareAccountRemove({ path: { account_id: id }, throwOnError: true }),
    done: ({ name }) => t('removed', { name }),
  }
}
