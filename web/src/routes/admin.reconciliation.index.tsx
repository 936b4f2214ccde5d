import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { loadList } from '@/features/console/parts/resource'
import { listSearch } from '@/features/console/parts/list-search'
import { gatewaySums, statements } from '@/features/console/reconciliation/resources'

export const Route = createFileRoute('/admin/reconciliation/')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(
      loadTexts('console/reconciliation'),
      loadList(queryClient, statements, deps),
      queryClient.prefetchQuery(gatewaySums()),
    ),
  component: lazyPage(
    () => import('@/features/console/reconciliation/pages'),
    'ReconciliationPage',
  ),
})
