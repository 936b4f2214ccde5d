import {
  staffApprovalsList,
  staffPaymentCasesList,
  staffPayoutsList,
  staffRefundRequests,
  staffTicketsList,
} from '@/lib/api/gen/staff/sdk.gen'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { mayOf, roleQuery } from '../parts/permissions'
import type { RowLink } from '../parts/resource'

type Line = {
  key: 'tickets' | 'approvals' | 'cases' | 'refunds' | 'payouts'
  permission: string
  link: RowLink
  count: (signal: AbortSignal) => Promise<number>
}

/** How many things of a line wait. */
export const countOfLine = ({ key, count }: Line) =>
  queryOptions({
    queryKey: ['console', 'waiting', key],
    queryFn: ({ signal }) => count(signal),
    staleTime: 5_000,
  })

/** For the route: counts what the member may see, beside the page's code. */
export async function loadWaiting(client: QueryClient): Promise<void> {
  const may = mayOf(await client.ensureQueryData(roleQuery()))
  const shown = waiting.filter(({ permission }) => may(permission))
  await Promise.all(shown.map((line) => client.prefetchQuery(countOfLine(line))))
}

/** What waits for a member of staff, with the list that shows the same. */
export const waiting: Line[] = [
  {
    key: 'tickets',
    permission: 'ticket.read',
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
    permission: 'approval.read',
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
    permission: 'payment.case.read',
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
    permission: 'money.refund.read',
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
    permission: 'money.commission.pay',
    link: { to: '/admin/payouts', search: { state: 'open' } as never },
    count: async (signal) =>
      (await staffPayoutsList({ query: { state: 'open', limit: 1 }, signal, throwOnError: true }))
        .data.total_count,
  },
]
