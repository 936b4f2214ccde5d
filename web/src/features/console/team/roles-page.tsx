import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { OwnRole } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { ListPage } from '../parts/list-page'
import { useMay } from '../parts/permissions'
import type { Column } from '../parts/resource'
import { addressOf, roles } from './resource'
import { useRoleActions } from './role-actions'
import { useRoleName } from './role-name'

/** All roles: the built-in ones, and those that owners made of permissions. */
export function RolesPage() {
  const { t } = useTranslation('console/team')
  const may = useMay()
  const nameOf = useRoleName()
  return (
    <ListPage
      title={t('roles.title')}
      about={t('roles.about')}
      resource={roles}
      columns={useColumns()}
      link={(role) => ({ to: '/admin/roles/$id', params: { id: addressOf(role) } })}
      actions={useRoleActions()}
      nameOf={({ name }) => nameOf(name)}
      empty={t('roles.empty')}
      action={
        may('staff.role.write') && (
          <ButtonLink to="/admin/roles/new" leftSection={<Plus size={16} aria-hidden="true" />}>
            {t('roles.new')}
          </ButtonLink>
        )
      }
    />
  )
}

function useColumns(): Column<OwnRole>[] {
  const { t } = useTranslation('console/team')
  const nameOf = useRoleName()
  return [
    { key: 'name', title: t('column.role'), place: 'title', cell: ({ name }) => nameOf(name) },
    {
      key: 'kind',
      title: t('column.kind'),
      width: '11rem',
      place: 'state',
      cell: ({ id }) => t(id ? 'roles.own' : 'roles.builtIn'),
    },
    {
      key: 'permissions',
      title: t('column.permissions'),
      width: '9rem',
      align: 'end',
      place: 'fact',
      cell: ({ permissions }) => permissions.length,
    },
    {
      key: 'members',
      title: t('column.members'),
      width: '9rem',
      align: 'end',
      place: 'fact',
      cell: ({ members }) => members,
    },
  ]
}
