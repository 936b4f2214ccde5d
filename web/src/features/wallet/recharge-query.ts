import { queryOptions } from '@tanstack/react-query'
import { rechargeGet } from '@/api/gen/sdk.gen'
import { isWaiting } from './model'

const POLL_MS = 2000

/** One recharge, looked at every two seconds while it waits to be paid, and whenever the page is seen again. */
export const rechargeOptions = (id: string) =>
  queryOptions({
    queryKey: ['recharge', id],
    queryFn: async ({ signal }) => {
      const { data } = await rechargeGet({ path: { recharge_id: id }, signal, throwOnError: true })
      return data
    },
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data && isWaiting(data) ? POLL_MS : false),
    refetchOnWindowFocus: 'always',
  })
