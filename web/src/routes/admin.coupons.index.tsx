import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'
import { coupons } from '@/features/console/shop/resource'

export const Route = createFileRoute('/admin/coupons/')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(loadTexts('console/coupon'), loadList(queryClient, coupons, deps)),
  component: lazyPage(() => import('@/features/console/shop/pages'), 'CouponsPage'),
})
