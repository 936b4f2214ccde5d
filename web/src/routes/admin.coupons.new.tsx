import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/admin/coupons/new')({
  loader: () => loadPage(loadTexts('console/coupon')),
  component: lazyPage(() => import('@/features/console/shop/form-pages'), 'NewCouponPage'),
})
