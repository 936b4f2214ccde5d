import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { nodes, oldNodes } from '@/features/console/network/resource'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'

export const Route = createFileRoute('/admin/nodes/')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(
      loadTexts('console/node'),
      loadList(queryClient, nodes, deps),
      queryClient.prefetchQuery(oldNodes()),
    ),
  component: lazyPage(() => import('@/features/console/network/pages'), 'NodesPage'),
})
