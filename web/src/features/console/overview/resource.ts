import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { staffOverview } from '@/lib/api/gen/staff/sdk.gen'
import { mayOf, roleQuery } from '../parts/permissions'

/** The ranges that one press chooses, in days with today. */
export const RANGES = ['1', '7', '30', '90'] as const

/** What the address says of the time that figures are about. */
export function periodOf(search: Record<string, string>) {
  const { from, until, days } = search
  if (from && until) return { from, until }
  return { days: Number(RANGES.find((one) => one === days) ?? '7') }
}

export type Period = ReturnType<typeof periodOf>

/** The figures of the shop, or those of traffic, which take longer. */
export const overviewOf = (period: Period, part: 'shop' | 'traffic') =>
  queryOptions({
    queryKey: ['console', 'overview', part, period],
    queryFn: async ({ signal }) =>
      (await staffOverview({ query: { ...period, part }, signal, throwOnError: true })).data,
    staleTime: 30_000,
  })

/** For the route: reads the figures that the member may see, beside the page's code. */
export async function loadOverview(client: QueryClient, period: Period): Promise<void> {
  const shop = client.prefetchQuery(overviewOf(period, 'shop'))
  const may = mayOf(await client.ensureQueryData(roleQuery()))
  if (may('traffic.total.read')) await client.prefetchQuery(overviewOf(period, 'traffic'))
  await shop
}
