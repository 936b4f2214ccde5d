import { createFileRoute } from '@tanstack/react-router'
import { shopPlansOptions, userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { recentRecharges } from '@/lib/recent-recharge'
import { searchNumber, searchOf, searchText } from '@/lib/search-part'

export const Route = createFileRoute('/user/shop-old/payment')({
  validateSearch: searchOf({
    /** The chosen price. */
    shop: searchNumber,
    coupon: searchText,
    /** The order that was just paid, whose result is shown. */
    done: searchNumber,
  }),
  loader: ({ context: { queryClient } }) =>
    loadPage(
      loadTexts('shop', 'order'),
      queryClient.prefetchQuery(shopPlansOptions()),
      queryClient.prefetchQuery(userGetMeOptions()),
      queryClient.prefetchQuery(recentRecharges()),
    ),
  component: lazyPage(() => import('@/features/shop/pages'), 'ShopPaymentPage'),
})
