import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { loadPlanNames } from '@/features/console/parts/plan-names'
import { loadList } from '@/features/console/parts/resource'
import { shareAccounts } from '@/features/console/support/resource'

export const Route = createFileRoute('/admin/share-accounts/')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(
      loadTexts('console/support'),
      loadList(queryClient, shareAccounts, deps),
      loadPlanNames(queryClient),
    ),
  component: lazyPage(() => import('@/features/console/support/pages'), 'ShareAccountsPage'),
})
