import { siteGetOptions } from './gen/@tanstack/react-query.gen'

/** What everybody may know of the site; asked once per page load. */
export const siteOptions = () => ({ ...siteGetOptions(), staleTime: Infinity })

export type { SiteGetResponse as Site } from './gen/types.gen'
