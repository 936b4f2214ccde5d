import { queryOptions } from '@tanstack/react-query'
import { rechargeGet } from '@/lib/api/gen/sdk.gen'
import { isUnderWay, pollMs } from './model'

/** One recharge, polled while it is pending and refetched whenever the window regains focus. */
export const rechargeOptions = (id: string) =>
  queryOptions({
    queryKey: ['recharge', id],
    queryFn: async ({ signal }) => {
      const { data } = await rechargeGet({ path: { recharge_id: id }, signal, throwOnError: true })
      return data
    },
    staleTime: 0,
    refetchInterval: ({ state: { data, dataUpdateCount, errorUpdateCount } }) =>
      data && isUnderWay(data) ? pollMs(dataUpdateCount + errorUpdateCount) : false,
    refetchOnWindowFocus: 'always',
  })
