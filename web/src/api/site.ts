import { queryOptions } from '@tanstack/react-query'
import { getSite } from './open-calls'

/** What everybody may know of the site; asked once per page load. */
export const siteOptions = () =>
  queryOptions({ queryKey: ['site'], queryFn: getSite, staleTime: Infinity })

export type { SiteGetResponse as Site } from './gen/types.gen'
