import { createFileRoute } from '@tanstack/react-router'
import {
  servicesListOptions,
  shopPlansOptions,
  userGetMeOptions,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { recentRecharges } from '@/lib/recent-recharge'
import { searchNumber, searchOf, searchOneOf, searchText } from '@/lib/search-part'

const validateSearch = searchOf({
  kind: (part: unknown): 'plan' | 'package' => searchOneOf(['plan', 'package'], part) ?? 'plan',
  /** The chosen plan or package. */
  plan: searchNumber,
  months: searchNumber,
  /** The service to renew. */
  renew: searchNumber,
  /** The service that ends for the new one. */
  change: searchNumber,
  coupon: searchText,
  /** The order whose payment came to nothing, and which is made again. */
  again: searchNumber,
  /** The order that was just paid, whose result is shown. */
  done: searchNumber,
})

export const Route = createFileRoute('/user/services/buy')({
  validateSearch,
  loader: ({ context: { queryClient } }) =>
    loadPage(
      loadTexts('shop', 'order'),
      queryClient.prefetchQuery(shopPlansOptions()),
      queryClient.prefetchQuery(servicesListOptions()),
      queryClient.prefetchQuery(userGetMeOptions()),
      queryClient.prefetchQuery(recentRecharges()),
    ),
  component: lazyPage(() => import('@/features/shop/pages'), 'BuyPage'),
})
