import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { isSetUpQuery, mediaAccounts } from '@/features/console/media/resource'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'

export const Route = createFileRoute('/admin/media-accounts')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(
      loadTexts('console/media'),
      loadList(queryClient, mediaAccounts, deps),
      queryClient.prefetchQuery(isSetUpQuery()),
    ),
  component: lazyPage(() => import('@/features/console/media/pages'), 'MediaAccountsPage'),
})
