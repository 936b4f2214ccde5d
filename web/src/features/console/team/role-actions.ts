import { useNavigate } from '@tanstack/react-router'
import { Copy, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffRoleRemove } from '@/lib/api/gen/staff/sdk.gen'
import type { OwnRole } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'
import { addressOf } from './resource'

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
