import { useQuery } from '@tanstack/react-query'
import { siteOptions } from '@/lib/api/site'

/** The time zone of the site, in which its days are counted. */
export const useZone = () => useQuery(siteOptions()).data?.time_zone ?? 'UTC'
