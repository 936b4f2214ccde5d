import { queryOptions } from '@tanstack/react-query'
import { staffAnnouncementGet, staffAnnouncements } from '@/lib/api/gen/staff/sdk.gen'
import { byPart } from '../parts/resource'

export const announcements = byPart({
  name: 'announcements',
  list: async (options) => {
    const { data } = await staffAnnouncements(options)
    return { rows: data.announcements, total: data.total_count }
  },
  rowKey: ({ id }) => id,
})

export const announcementOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'announcements', 'one', id],
    queryFn: async ({ signal }) =>
      (
        await staffAnnouncementGet({
          path: { announcement_id: Number(id) },
          signal,
          throwOnError: true,
        })
      ).data,
    staleTime: 5_000,
  })
