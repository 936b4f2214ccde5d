import { staffTicketsList } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffTicket, StaffTicketsListData } from '@/lib/api/gen/staff/types.gen'
import { choicesOf } from '../parts/filters'
import { byOffset, PART_SIZE, type Resource } from '../parts/resource'

type Query = NonNullable<StaffTicketsListData['query']>

/** What the address says of the list, as the operation takes it. */
const queryOf = (filters: Record<string, string>, me: number): Query => ({
  q: filters.q,
  status: filters.status ? (choicesOf(filters.status).values as Query['status']) : undefined,
  awaiting: filters.awaiting as Query['awaiting'],
  category: filters.category as Query['category'],
  priority: filters.priority as Query['priority'],
  email: filters.email,
  unassigned: filters.of === 'nobody' || undefined,
  assigned_to: filters.of === 'me' ? me : undefined,
})

/** The tickets of all users; `me` is whose "mine" are. */
export const tickets = (me: number): Resource<StaffTicket> => ({
  name: 'tickets',
  keys: ['q', 'status', 'awaiting', 'category', 'priority', 'email', 'of'],
  load: async ({ filters, cursor, signal }) => {
    const { data } = await staffTicketsList({
      query: { ...queryOf(filters, me), limit: PART_SIZE, offset: Number(cursor ?? 0) },
      signal,
      throwOnError: true,
    })
    return byOffset(data.tickets, cursor, data.total_count)
  },
  count: async ({ filters, signal }) => {
    const { data } = await staffTicketsList({
      query: { ...queryOf(filters, me), limit: 1 },
      signal,
      throwOnError: true,
    })
    return { count: data.total_count }
  },
  rowKey: ({ no }) => no,
})
