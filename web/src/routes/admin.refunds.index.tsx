import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { refundRequests } from '@/features/console/money/resources'
import { assignedRefunds, membersOf } from '@/features/console/money/assigned-lists'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'

export const Route = createFileRoute('/admin/refunds/')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(
      loadTexts('console/money'),
      loadList(queryClient, refundRequests, deps),
      queryClient.prefetchQuery(membersOf(assignedRefunds)),
    ),
  component: lazyPage(() => import('@/features/console/money/pages'), 'RefundsPage'),
})
