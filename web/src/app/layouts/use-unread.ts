import { useQuery } from '@tanstack/react-query'
import { unreadAnnouncements } from '@/lib/api/announcements'
import { ticketsUnreadOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { useSession } from '@/lib/session/current-session'
import { useAfterLoad } from './use-after-load'

const REFRESH_MS = 60_000

/** Asks for what a user has not read, once the page has loaded and from then on: the bell and the counts read the cache. */
export function useUnread() {
  const isSignedIn = useSession().status === 'authenticated'
  const enabled = useAfterLoad() && isSignedIn
  useQuery({ ...ticketsUnreadOptions(), refetchInterval: REFRESH_MS, enabled })
  return useQuery({ ...unreadAnnouncements(), enabled }).data
}
