import { queryOptions } from '@tanstack/react-query'
import { shopPreOrder } from '@/lib/api/gen/sdk.gen'

/** What is bought: a price of a plan or package, optionally to renew or replace a service. */
export type Purchase = {
  shopId: number
  renewServiceId?: number | undefined
  changeServiceId?: number | undefined
  coupon?: string | undefined
}

/** The request body of a purchase. */
export const purchaseBody = ({ renewServiceId, changeServiceId, coupon }: Purchase) => ({
  ...(renewServiceId && { renew_service_id: renewServiceId }),
  ...(changeServiceId && { change_service_id: changeServiceId }),
  ...(coupon && { coupon }),
})

/** The server's quote of a purchase. It is refetched on every mount and never cached. */
export const quoteOptions = (purchase: Purchase) =>
  queryOptions({
    queryKey: ['quote', purchase.shopId, purchaseBody(purchase)],
    queryFn: async ({ signal }) => {
      const { data } = await shopPreOrder({
        path: { shop_id: purchase.shopId },
        body: purchaseBody(purchase),
        signal,
        throwOnError: true,
      })
      return data
    },
    staleTime: 0,
    gcTime: 0,
  })
