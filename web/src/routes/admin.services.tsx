import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'
import { services } from '@/features/console/users/resource'

export const Route = createFileRoute('/admin/services')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(
      loadTexts('console/user', 'console/user-actions'),
      loadList(queryClient, services, deps),
    ),
  component: lazyPage(() => import('@/features/console/users/pages'), 'ServicesPage'),
})
