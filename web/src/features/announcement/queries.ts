import { announcementsListOptions } from '@/lib/api/gen/@tanstack/react-query.gen'

const MOST_SHOWN = 200

export const allAnnouncements = () => announcementsListOptions({ query: { limit: MOST_SHOWN } })
