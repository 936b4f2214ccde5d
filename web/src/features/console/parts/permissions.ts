import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { staffRole } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffRole } from '@/lib/api/gen/staff/types.gen'

/** The caller's role and what it may do. The console's layout loads it before anything else. */
export const roleQuery = () =>
  queryOptions({
    queryKey: ['console-role'],
    queryFn: async ({ signal }) => (await staffRole({ signal, throwOnError: true })).data,
    staleTime: 60_000,
  })

/** Whether a role may do what needs a permission. */
export function mayOf(role: StaffRole | undefined): (permission: string) => boolean {
  const held = new Set(
    role?.areas.flatMap(({ permissions }) => permissions.map((one) => one.permission)),
  )
  return (permission) => held.has(permission)
}

/** For routes: loads what a page shows besides, where the member may read it. */
export async function loadWhereMay(
  client: QueryClient,
  permission: string,
  load: () => Promise<unknown>,
): Promise<void> {
  if (mayOf(await client.ensureQueryData(roleQuery()))(permission)) await load()
}

/** Whether the member may do what needs a permission; the server decides again at each call. */
export function useMay(): (permission: string) => boolean {
  const { data: role } = useQuery(roleQuery())
  return useMemo(() => mayOf(role), [role])
}
