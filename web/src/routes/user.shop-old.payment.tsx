import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { searchNumber, searchOf, searchText } from '@/shared/lib/search-part'

export const Route = createFileRoute('/user/shop-old/payment')({
  validateSearch: searchOf({
    /** The chosen price. */
    shop: searchNumber,
    coupon: searchText,
  }),
  loader: () => loadTexts('shop'),
  component: lazyPage(() => import('@/features/shop/pages'), 'ShopPaymentPage'),
})
