import { useQuery } from '@tanstack/react-query'
import { rechargeListOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { RechargeRecord } from '@/lib/api/gen/types.gen'
import { useServerNow } from './now'

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

/** The newest of the last recharges whose order waits for it, before the end of the order, where it has one. */
export function useWaitingOrder() {
  const now = useServerNow()
  return useRecentRecharge(
    ({ order }) =>
      order?.state === 'pending' &&
      (order.expires_at === null || now < Date.parse(order.expires_at)),
  )
}
