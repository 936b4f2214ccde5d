import { queryOptions } from '@tanstack/react-query'
import { staffMember, staffMembers, staffRoles } from '@/lib/api/gen/staff/sdk.gen'
import type { OwnRole, RoleList, StaffMember } from '@/lib/api/gen/staff/types.gen'
import type { Resource } from '../parts/resource'

const staleTime = 5_000

export const members: Resource<StaffMember> = {
  name: 'members',
  rowKey: ({ id }) => id,
  load: async ({ signal }) => ({ rows: (await staffMembers({ signal, throwOnError: true })).data }),
}

export const memberOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'members', 'one', id],
    queryFn: async ({ signal }) =>
      (await staffMember({ path: { user_id: Number(id) }, signal, throwOnError: true })).data,
    staleTime,
  })

export const roles: Resource<OwnRole> = {
  name: 'roles',
  rowKey: ({ name }) => name,
  load: async ({ signal }) => ({
    rows: (await staffRoles({ signal, throwOnError: true })).data.roles,
  }),
}

/** All roles, and all permissions that one can be made of. */
export const rolesQuery = () =>
  queryOptions({
    queryKey: ['console', 'roles', 'all'],
    queryFn: async ({ signal }) => (await staffRoles({ signal, throwOnError: true })).data,
    staleTime,
  })

/** What the address of a role's page names it by: its number, or the word of a built-in one. */
export const addressOf = ({ id, name }: OwnRole) => (id ? String(id) : name)

export const roleAt = (list: RoleList, address: string) =>
  list.roles.find((one) => addressOf(one) === address)
