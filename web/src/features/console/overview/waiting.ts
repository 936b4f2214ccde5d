import { staffTicketsList } from '@/lib/api/gen/staff/sdk.gen'
import type overview from '@/locales/zh-CN/console/overview.json'
import type { RowLink } from '../parts/resource'

type Line = {
  key: keyof typeof overview
  permission: string
  link: RowLink
  count: (signal: AbortSignal) => Promise<number>
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
]
