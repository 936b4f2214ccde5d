import { queryOptions } from '@tanstack/react-query'
import type { SiteGetResponse as Site } from './gen/types.gen'
import { getSite } from './auth-api'

/** What everybody may know of the site; the server has put it into the page, else it is asked once per page load. */
export const siteOptions = () =>
  queryOptions({ queryKey: ['site'], queryFn: getSite, staleTime: Infinity, initialData: ofPage })

function ofPage(): Site | undefined {
  const meta = document.querySelector<HTMLMetaElement>('meta[name=site]')
  return meta ? (JSON.parse(meta.content) as Site) : undefined
}

export type { Site }
