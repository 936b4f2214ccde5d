import { useMutation, useQueryClient } from '@tanstack/react-query'
import { session } from '@/lib/session/current-session'
import {
  announcementsMarkReadMutation,
  announcementsUnreadOptions,
} from './gen/@tanstack/react-query.gen'
import type { AnnouncementsUnreadResponse } from './gen/types.gen'

const REFETCH_MS = 120_000

/** What the user has not seen, on every page: the count of the bell, pop-ups, notes on maintenance. */
export const unreadAnnouncements = () => ({
  ...announcementsUnreadOptions(),
  staleTime: REFETCH_MS,
  refetchInterval: REFETCH_MS,
})

/** Marks announcements as seen on all devices: at once on this page, and by the server's word when that comes. */
export function useMarkAnnouncements() {
  const client = useQueryClient()
  const { queryKey } = announcementsUnreadOptions()
  const { mutate } = useMutation({
    ...announcementsMarkReadMutation(),
    onSuccess: (unread) => client.setQueryData(queryKey, unread),
  })
  return (ids: number[]) => {
    if (ids.length === 0) return
    client.setQueryData(
      queryKey,
      (unread: AnnouncementsUnreadResponse | undefined) =>
        unread && {
          ...unread,
          unread_count: Math.max(0, unread.unread_count - ids.length),
          pop_ups: unread.pop_ups.filter(({ id }) => !ids.includes(id)),
        },
    )
    if (!session.isVisit) mutate({ body: { ids } })
  }
}
