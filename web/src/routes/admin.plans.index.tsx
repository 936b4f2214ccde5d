import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'
import { plans } from '@/features/console/shop/resource'

export const Route = createFileRoute('/admin/plans/')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(loadTexts('console/shop'), loadList(queryClient, plans, deps)),
  component: lazyPage(() => import('@/features/console/shop/pages'), 'PlansPage'),
})
