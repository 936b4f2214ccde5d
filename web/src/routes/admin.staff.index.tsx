import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'
import { members, rolesQuery } from '@/features/console/team/resource'

export const Route = createFileRoute('/admin/staff/')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(
      loadTexts('console/team'),
      loadList(queryClient, members, deps),
      queryClient.prefetchQuery(rolesQuery()),
    ),
  component: lazyPage(() => import('@/features/console/team/pages'), 'MembersPage'),
})
