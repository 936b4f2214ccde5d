import { queryOptions } from '@tanstack/react-query'
import { sendOpenly, unwrap } from './client'
import type { SiteTextsData, SiteTextsResponse } from './gen/types.gen'

async function getSiteTexts(): Promise<SiteTextsResponse> {
  const url: SiteTextsData['url'] = '/api/v2/site/texts'
  const response = await sendOpenly(new Request(new URL(url, location.origin)))
  return unwrap(await response.json()) as SiteTextsResponse
}

/** The terms and the privacy notice, which the server gives in the language of the page. */
export const siteTexts = (language: string) =>
  queryOptions({
    queryKey: ['site', 'texts', language],
    queryFn: getSiteTexts,
    staleTime: 60_000,
  })
