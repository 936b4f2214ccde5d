import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { loadPlanNames } from '@/features/console/parts/plan-names'
import { couponOf } from '@/features/console/shop/resource'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/coupons/$id')({
  params: numericIdParams,
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(
      loadTexts('console/coupon'),
      queryClient.prefetchQuery(couponOf(id)),
      loadPlanNames(queryClient),
    ),
  component: lazyPage(() => import('@/features/console/shop/form-pages'), 'CouponPage'),
})
