import { type InfiniteData, type QueryClient, queryOptions } from '@tanstack/react-query'
import {
  staffPaymentCaseAssign,
  staffPaymentCaseAssignees,
  staffPayoutAssign,
  staffPayoutAssignees,
  staffRefundRequestAssign,
  staffRefundRequestAssignees,
} from '@/lib/api/gen/staff/sdk.gen'
import type { Assignee, AssignTo } from '@/lib/api/gen/staff/types.gen'
import { asksAt } from '../parts/asks-at'
import type { Part } from '../parts/resource'

/** A row that members of staff have assigned to them until it has ended. */
export type Assignable = {
  id: number
  ended_at: string | null
  assigned_to?: Assignee | undefined
}

/** A list of such rows. */
export type AssignedList = {
  /** As in the keys of its queries. */
  name: string
  /** What assigning needs. */
  permission: string
  /** To whom rows can be assigned. */
  members: (signal: AbortSignal) => Promise<Assignee[]>
  assign: (id: number, body: AssignTo) => Promise<unknown>
}

export const assignedCases: AssignedList = {
  name: 'payment-cases',
  permission: 'payment.case.decide',
  members: async (signal) => (await staffPaymentCaseAssignees({ signal, throwOnError: true })).data,
  assign: (id, body) => staffPaymentCaseAssign({ path: { case_id: id }, body, throwOnError: true }),
}

export const assignedPayouts: AssignedList = {
  name: 'payouts',
  permission: 'money.commission.pay',
  members: async (signal) =>
    (await staffPayoutAssignees({ signal, throwOnError: true, ...asksAt('/admin/payouts') })).data,
  assign: (id, body) => staffPayoutAssign({ path: { payout_id: id }, body, throwOnError: true }),
}

export const assignedRefunds: AssignedList = {
  name: 'refund-requests',
  permission: 'money.refund',
  members: async (signal) =>
    (await staffRefundRequestAssignees({ signal, throwOnError: true })).data,
  assign: (id, body) =>
    staffRefundRequestAssign({ path: { request_id: id }, body, throwOnError: true }),
}

export const membersOf = (list: AssignedList) =>
  queryOptions({
    queryKey: ['console', list.name, 'members'],
    queryFn: ({ signal }) => list.members(signal),
    staleTime: 60_000,
  })

const idOf = (member: Assignee | undefined) => member?.id ?? 0

/** What the queries of a list and of its pages hold. */
type Held = InfiniteData<Part<Assignable>> | { request: Assignable } | Assignable | undefined

/** The same with a row that somebody else has. */
function withMember(held: Held, id: number, to: Assignee | undefined): Held {
  if (!held) return held
  const changed = (row: Assignable) => (row.id === id ? { ...row, assigned_to: to } : row)
  if ('request' in held) return { ...held, request: changed(held.request) }
  if (!('pages' in held)) return changed(held)
  const pages = held.pages.map((part) => ({ ...part, rows: part.rows.map(changed) }))
  return { ...held, pages }
}

/** Assigns a row: it is shown at once, in lists and on its page, and taken back where the server refuses it. */
export async function assign(
  client: QueryClient,
  list: AssignedList,
  id: number,
  change: { to: Assignee | undefined; was: Assignee | undefined },
) {
  const queries = {
    queryKey: ['console', list.name],
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) =>
      queryKey[2] === 'list' || queryKey[2] === 'one',
  }
  await client.cancelQueries(queries)
  const before = client.getQueriesData<Held>(queries)
  client.setQueriesData<Held>(queries, (held) => withMember(held, id, change.to))
  try {
    await list.assign(id, { assigned_to: idOf(change.to), was_assigned_to: idOf(change.was) })
  } catch (error) {
    for (const [queryKey, held] of before) client.setQueryData(queryKey, held)
    void client.invalidateQueries(queries)
    throw error
  }
}
