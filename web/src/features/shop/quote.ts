import { queryOptions } from '@tanstack/react-query'
import { shopPreOrder } from '@/api/gen/sdk.gen'

/** One thing to buy: a price of a plan or a package, perhaps to renew a service. */
export type Purchase = { shopId: number; renewServiceId?: number }

/** What a purchase costs now, by the server; asked anew whenever it is looked at. */
export const quoteOptions = ({ shopId, renewServiceId }: Purchase) =>
  queryOptions({
    queryKey: ['quote', shopId, renewServiceId],
    queryFn: async ({ signal }) => {
      const { data } = await shopPreOrder({
        path: { shop_id: shopId },
        body: renewServiceId ? { renew_service_id: renewServiceId } : {},
        signal,
        throwOnError: true,
      })
      return data
    },
    staleTime: 0,
  })
