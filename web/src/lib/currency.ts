import { useQuery } from '@tanstack/react-query'
import { siteOptions } from '@/lib/api/site'

/** The one currency of the site, as an ISO 4217 code. */
export function useCurrency(): string {
  const { data: site } = useQuery(siteOptions())
  return site?.currency ?? 'CNY'
}
