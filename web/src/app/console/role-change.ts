import type { Query, QueryClient } from '@tanstack/react-query'
import { roleQuery } from '@/features/console/parts/permissions'
import { isRefusal } from '@/features/console/parts/refusals'
import type { StaffRole } from '@/lib/api/gen/staff/types.gen'
import { dismissErrors } from '@/ui/toast'

/**
 * Whether the notice of a changed role is shown. It stands among the queries, so that it outlives the shell, which another
 * page draws anew, and goes with the account.
 */
export const noticeKey = ['console-role-changed']

/** All that the console has read, except who the member is. */
const isOfConsole = ({ queryKey: [area] }: Query) => /^console(?!-role)/.test(String(area))

/** What a role permits, without the sentences about it, which are in the member's language. */
export const accessOf = ({ role, areas }: StaffRole) =>
  JSON.stringify([
    role,
    areas.flatMap(({ permissions }) => permissions.map(({ permission }) => permission)),
  ])

/** Forgets the role and all that was read with it. */
export function dropAccess(queryClient: QueryClient): void {
  queryClient.removeQueries({ queryKey: roleQuery().queryKey })
  queryClient.removeQueries({ predicate: isOfConsole })
}

/** Says that the role was changed and drops what it does not read. `leave` is given where that is the whole page. */
export async function followRole(
  queryClient: QueryClient,
  leave: (() => Promise<void>) | undefined,
): Promise<void> {
  const changedAt = Date.now()
  dismissErrors()
  queryClient.setQueryData(noticeKey, true)
  queryClient.removeQueries({ predicate: isOfConsole, type: 'inactive' })
  if (leave) {
    await leave()
    queryClient.removeQueries({
      predicate: (query) => isOfConsole(query) && query.state.dataUpdatedAt < changedAt,
    })
    return
  }
  await queryClient.invalidateQueries({ predicate: isOfConsole })
  for (const query of queryClient.getQueryCache().findAll({ predicate: isOfConsole }))
    if (isRefusal(query.state.error)) query.setState({ data: undefined, status: 'error' })
}
