import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { payouts } from '@/features/console/money/resources'
import { assignedPayouts, membersOf } from '@/features/console/money/assigned-lists'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'

export const Route = createFileRoute('/admin/payouts/')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(
      loadTexts('console/money'),
      loadList(queryClient, payouts, deps),
      queryClient.prefetchQuery(membersOf(assignedPayouts)),
    ),
  component: lazyPage(() => import('@/features/console/money/pages'), 'PayoutsPage'),
})
