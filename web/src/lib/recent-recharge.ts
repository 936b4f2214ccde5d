import { useQuery } from '@tanstack/react-query'
import { rechargeListOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { RechargeRecord } from '@/lib/api/gen/types.gen'

const RECENT = 5

/** The newest of the last recharges that is one of those. It is asked for anew each time: another tab may have paid it. */
export function useRecentRecharge(isOne: (recharge: RechargeRecord) => boolean) {
  const { data } = useQuery({
    ...rechargeListOptions({ query: { limit: RECENT, offset: 0 } }),
    staleTime: 0,
  })
  return data?.recharge_records.find(isOne)
}
