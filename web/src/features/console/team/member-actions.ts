import { useQuery } from '@tanstack/react-query'
import { LogOut, UserCog, UserMinus, UserPlus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffMemberAddRules as rules } from '@/lib/api/gen/staff/rules.gen'
import {
  staffMember,
  staffMemberAdd,
  staffMemberChange,
  staffMemberRemove,
  staffUserSessionsEnd,
} from '@/lib/api/gen/staff/sdk.gen'
import type { StaffMember } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'
import type { Field } from '../parts/field'
import { rolesQuery } from './resource'
import { useRoleName } from './role-name'

/** The choice of a role, of those that the member who chooses may give. */
function useRoleField() {
  const { t } = useTranslation('console/team')
  const nameOf = useRoleName()
  const { data } = useQuery(rolesQuery())
  const given = (data?.roles ?? []).filter(({ may_give: mayGive }) => mayGive)
  return (present?: string): Field => ({
    name: 'role',
    label: t('column.role'),
    kind: 'choice',
    isRequired: true,
    initial: given.some(({ name }) => name === present) ? present : given.at(-1)?.name,
    options: given.map(({ name }) => ({ value: name, label: nameOf(name) })),
  })
}

export function useAddition(): Action<undefined> {
  const { t } = useTranslation('console/team')
  const field = useRoleField()
  return {
    key: 'add',
    icon: UserPlus,
    title: t('member.add'),
    permission: 'staff.member.write',
    danger: 'R',
    fields: () => [
      {
        name: 'email',
        label: t('column.email'),
        hint: t('member.emailHint'),
        kind: 'text',
        isRequired: true,
        initial: '',
        rules: rules.email,
      },
      field(),
    ],
    effect: () => t('member.addEffect'),
    run: (_, { email, role, reason }) =>
      staffMemberAdd({
        body: { email: String(email), role: String(role), reason: String(reason) },
        throwOnError: true,
      }),
    done: () => t('member.added'),
  }
}

function useRoleChange(): Action<StaffMember> {
  const { t } = useTranslation('console/team')
  const field = useRoleField()
  return {
    key: 'role',
    icon: UserCog,
    title: t('member.change'),
    permission: 'staff.member.write',
    danger: 'R',
    isShown: ({ may_change: mayChange }) => mayChange,
    fields: ({ role }) => [field(role)],
    effect: ({ email }) => t('member.changeEffect', { email }),
    run: async ({ id, version }, { role, reason }) => {
      const path = { user_id: id }
      // A list reads no versions.
      const seen = version || (await staffMember({ path, throwOnError: true })).data.version
      await staffMemberChange({
        path,
        headers: { 'If-Match': `"${seen}"` },
        body: { role: String(role), reason: String(reason) },
        throwOnError: true,
      })
    },
    done: ({ email }) => t('member.changed', { email }),
  }
}

function useRemoval(): Action<StaffMember> {
  const { t } = useTranslation('console/team')
  return {
    key: 'remove',
    icon: UserMinus,
    title: t('member.remove'),
    permission: 'staff.member.write',
    danger: 'R',
    isShown: ({ may_change: mayChange }) => mayChange,
    effect: ({ email }) => t('member.removeEffect', { email }),
    run: ({ id }, { reason }) =>
      staffMemberRemove({
        path: { user_id: id },
        query: { reason: String(reason) },
        throwOnError: true,
      }),
    done: ({ email }) => t('member.removed', { email }),
  }
}

function useSignOut(): Action<StaffMember> {
  const { t } = useTranslation('console/team')
  return {
    key: 'sessions',
    icon: LogOut,
    title: t('member.signOut'),
    permission: 'user.recover',
    danger: 'R',
    isShown: ({ may_change: mayChange, sessions }) => mayChange && sessions > 0,
    effect: ({ email, sessions }) => t('member.signOutEffect', { email, count: sessions }),
    run: ({ id }, { reason }) =>
      staffUserSessionsEnd({
        path: { user_id: id },
        body: { reason: String(reason) },
        throwOnError: true,
      }),
    done: ({ email }) => t('member.signedOut', { email }),
  }
}

export function useMemberActions() {
  return [useRoleChange(), useSignOut(), useRemoval()]
}
