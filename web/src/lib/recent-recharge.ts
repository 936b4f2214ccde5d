import { useQuery } from '@tanstack/react-query'
import { rechargeListOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { RechargeRecord } from '@/lib/api/gen/types.gen'

const RECENT = 5

/** The last recharges, loaded by routes together with the code of their pages. Another tab may have paid one meanwhile. */
export const recentRecharges = () => ({
  ...rechargeListOptions({ query: { limit: RECENT, offset: 0 } }),
  staleTime: 2_000,
})

/** The newest of the last recharges that is one of those. */
export function useRecentRecharge(isOne: (recharge: RechargeRecord) => boolean) {
  const { data } = useQuery(recentRecharges())
  return data?.recharge_records.find(isOne)
}
