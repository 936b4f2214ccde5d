import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { loadPlanNames } from '@/features/console/parts/plan-names'

export const Route = createFileRoute('/admin/coupons/new')({
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('console/coupon'), loadPlanNames(queryClient)),
  component: lazyPage(() => import('@/features/console/shop/form-pages'), 'NewCouponPage'),
})
