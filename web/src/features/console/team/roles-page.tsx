import { useNavigate } from '@tanstack/react-router'
import { Copy, Plus, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffRoleRemove } from '@/lib/api/gen/staff/sdk.gen'
import type { OwnRole } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import type { Action } from '../parts/action'
import { ListPage } from '../parts/list-page'
import { useMay } from '../parts/permissions'
import type { Column } from '../parts/resource'
import { addressOf, roles } from './resource'
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

/** What may be done with a role, on the list and on its page. */
export function useRoleActions(onRemoved?: () => void): Action<OwnRole>[] {
  const { t } = useTranslation('console/team')
  const navigate = useNavigate()
  const copy: Action<OwnRole> = {
    key: 'copy',
    icon: Copy,
    title: t('roles.copy'),
    permission: 'staff.role.write',
    danger: 'U',
    leads: true,
    effect: () => '',
    run: (role) => navigate({ to: '/admin/roles/new', search: { from: addressOf(role) } as never }),
    done: () => '',
  }
  const removal: Action<OwnRole> = {
    key: 'remove',
    icon: Trash2,
    title: t('roles.remove'),
    permission: 'staff.role.write',
    danger: 'R',
    isShown: ({ id, may_give: mayGive, members }) => id > 0 && mayGive && members === 0,
    effect: ({ name }) => t('roles.removeEffect', { name }),
    run: async ({ id }, { reason }) => {
      await staffRoleRemove({
        path: { role_id: id },
        query: { reason: String(reason) },
        throwOnError: true,
      })
      onRemoved?.()
    },
    done: ({ name }) => t('roles.removed', { name }),
  }
  return [copy, removal]
}
