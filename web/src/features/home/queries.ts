import {
  announcementsListOptions,
  linkLogOptions,
  trafficTimeAxisOptions,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { Access } from '@/lib/api/gen/types.gen'
import { DAYS_SHOWN } from './traffic-series'

// Loaded by routes together with the pages' code, and by the pages.

const ANNOUNCEMENTS_SHOWN = 3

export const newestAnnouncements = () =>
  announcementsListOptions({ query: { limit: ANNOUNCEMENTS_SHOWN } })

/** Nothing runs, and nothing but a purchase would change that. */
export const hasNoService = ({ state }: Pick<Access, 'state'>) =>
  state === 'none' || state === 'expired'

export const FETCHES_SHOWN = 20

export const recentTraffic = () =>
  trafficTimeAxisOptions({ query: { limit: DAYS_SHOWN, bucket: 'day' } })

export const fetchesOf = (page: number) =>
  linkLogOptions({ query: { limit: FETCHES_SHOWN, offset: (page - 1) * FETCHES_SHOWN } })
