import {
  staffApprovalsList,
  staffGatewaysList,
  staffPaymentCasesList,
  staffPayoutsList,
  staffRechargesCount,
  staffRefundRequests,
  staffTicketsList,
} from '@/lib/api/gen/staff/sdk.gen'
import { send } from '@/lib/api/client'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { mayOf, roleQuery } from '../parts/permissions'
import { noticeRefusal } from '../parts/refusals'
import type { RowLink } from '../parts/resource'

type Line = {
  key: 'transfers' | 'tickets' | 'approvals' | 'cases' | 'refunds' | 'payouts'
  /** All of them are needed. */
  permissions: readonly string[]
  link: RowLink
  /** With the link to just those, where it is another one. */
  count: (signal: AbortSignal) => Promise<number | Waiting>
}

type Waiting = { count: number; link: RowLink }

/** How many things of a line wait, and where. */
export const waitingOf = ({ key, link, count }: Line) =>
  queryOptions({
    queryKey: ['console', 'waiting', key],
    queryFn: async ({ signal }): Promise<Waiting> => {
      const found = await count(signal)
      return typeof found === 'number' ? { count: found, link } : found
    },
    staleTime: 5_000,
  })

/** For the route: counts what the member may see, beside the page's code. */
export async function loadWaiting(client: QueryClient): Promise<void> {
  const may = mayOf(await client.ensureQueryData(roleQuery()))
  const shown = waiting.filter(({ permissions }) => permissions.every(may))
  await Promise.all(shown.map((line) => client.prefetchQuery(waitingOf(line))))
}

/** What waits for a member of staff, with the list that shows the same. */
export const waiting: Line[] = [
  {
    key: 'transfers',
    permissions: ['payment.confirm', 'recharge.read', 'gateway.read'],
    link: { to: '/admin/recharges', search: { state: 'pending' } as never },
    count: async (signal) => {
      const { data: gateways } = await staffGatewaysList({ signal, throwOnError: true })
      const gateway = gateways.filter(({ kind }) => kind === 'manual').map(({ name }) => name)
      if (gateway.length === 0) return 0
      const query = { state: 'pending', gateway: gateway.join(',') }
      const { data } = await staffRechargesCount({ query, signal, throwOnError: true })
      return { count: data.rows, link: { to: '/admin/recharges', search: query as never } }
    },
  },
  {
    key: 'tickets',
    permissions: ['ticket.read'],
    link: { to: '/admin/tickets', search: { awaiting: 'staff' } as never },
    count: async (signal) =>
      (
        await staffTicketsList({
          query: { awaiting: 'staff', limit: 1 },
          signal,
          throwOnError: true,
        })
      ).data.total_count,
  },
  {
    key: 'approvals',
    permissions: ['approval.read'],
    link: { to: '/admin/approvals', search: { state: 'waiting' } as never },
    count: async (signal) =>
      (
        await staffApprovalsList({
          query: { state: 'waiting', limit: 1 },
          signal,
          throwOnError: true,
        })
      ).data.total_count,
  },
  {
    key: 'cases',
    permissions: ['payment.case.read'],
    link: { to: '/admin/payment-cases', search: { state: 'open' } as never },
    count: async (signal) =>
      (
        await staffPaymentCasesList({
          query: { state: 'open', limit: 1 },
          signal,
          throwOnError: true,
        })
      ).data.total_count,
  },
  {
    key: 'refunds',
    permissions: ['money.refund.read'],
    link: { to: '/admin/refunds', search: { state: 'open' } as never },
    count: async (signal) =>
      (
        await staffRefundRequests({
          query: { state: 'open', limit: 1 },
          signal,
          throwOnError: true,
        })
      ).data.total_count,
  },
  {
    key: 'payouts',
    permissions: ['money.commission.pay'],
    link: { to: '/admin/payouts', search: { state: 'open' } as never },
    count: async (signal) =>
      (
        await staffPayoutsList({
          query: { state: 'open', limit: 1 },
          signal,
          throwOnError: true,
          // The list asks who the member is. Nobody asked for it here, and the count is unknown until it is opened.
          fetch: (input) => noticeRefusal(send(input as Request)),
        })
      ).data.total_count,
  },
]
