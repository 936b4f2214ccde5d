import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'
import { roles } from '@/features/console/team/resource'

export const Route = createFileRoute('/admin/roles/')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(loadTexts('console/team'), loadList(queryClient, roles, deps)),
  component: lazyPage(() => import('@/features/console/team/pages'), 'RolesPage'),
})
