import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { couponOf } from '@/features/console/shop/resource'

export const Route = createFileRoute('/admin/coupons/$id')({
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(loadTexts('console/coupon'), queryClient.prefetchQuery(couponOf(id))),
  component: lazyPage(() => import('@/features/console/shop/form-pages'), 'CouponPage'),
})
