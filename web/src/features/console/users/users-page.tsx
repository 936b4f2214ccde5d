import { useTranslation } from 'react-i18next'
import { ActionButton } from '../parts/action-runner'
import { ListPage } from '../parts/list-page'
import { useAddUser } from './add-user'
import { useUserColumns, useUserFilters } from './columns'
import { users } from './resource'

/** All users, found by any fact. */
export function UsersPage() {
  const { t } = useTranslation('console/user')
  return (
    <ListPage
      title={t('title')}
      resource={users}
      columns={useUserColumns()}
      filters={useUserFilters()}
      search={{ key: 'q', label: t('search') }}
      link={({ id }) => ({ to: '/admin/users/$id', params: { id: String(id) } })}
      empty={t('noUsers')}
      action={<ActionButton subject={null} action={useAddUser()} isPrimary />}
    />
  )
}
