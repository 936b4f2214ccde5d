import { queryOptions } from '@tanstack/react-query'
import {
  staffAnnouncementBroadcasts,
  staffAnnouncementGet,
  staffAnnouncementReach,
  staffAnnouncements,
} from '@/lib/api/gen/staff/sdk.gen'
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

const WHILE_SENDING_MS = 2_000

/** How far its sending is, read again while it goes on. */
export const broadcastsOf = (id: number) =>
  queryOptions({
    queryKey: ['console', 'announcements', 'broadcasts', id],
    queryFn: async ({ signal }) => {
      const path = { announcement_id: id }
      return (await staffAnnouncementBroadcasts({ path, signal, throwOnError: true })).data
        .broadcasts
    },
    refetchInterval: ({ state }) =>
      state.data?.some((one) => one.state === 'running') && WHILE_SENDING_MS,
  })

/** How many users each channel would bring it to. */
export const reachOf = (id: number) =>
  queryOptions({
    queryKey: ['console', 'announcements', 'reach', id],
    queryFn: async ({ signal }) => {
      const path = { announcement_id: id }
      return (await staffAnnouncementReach({ path, signal, throwOnError: true })).data
    },
  })
