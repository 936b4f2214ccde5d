import { queryOptions } from '@tanstack/react-query'
import { shopPreOrder } from '@/lib/api/gen/sdk.gen'

/** One thing to buy: a price of a plan or a package, perhaps to renew a service or to take the place of one. */
export type Purchase = {
  shopId: number
  renewServiceId?: number | undefined
  changeServiceId?: number | undefined
  coupon?: string | undefined
}

/** A purchase as the server's operations take it. */
export const wishOf = ({ renewServiceId, changeServiceId, coupon }: Purchase) => ({
  ...(renewServiceId && { renew_service_id: renewServiceId }),
  ...(changeServiceId && { change_service_id: changeServiceId }),
  ...(coupon && { coupon }),
})

/** What a purchase costs now, by the server; asked anew whenever it is looked at, and kept no longer. */
export const quoteOptions = (purchase: Purchase) =>
  queryOptions({
    queryKey: ['quote', purchase.shopId, wishOf(purchase)],
    queryFn: async ({ signal }) => {
      const { data } = await shopPreOrder({
        path: { shop_id: purchase.shopId },
        body: wishOf(purchase),
        signal,
        throwOnError: true,
      })
      return data
    },
    staleTime: 0,
    gcTime: 0,
  })
