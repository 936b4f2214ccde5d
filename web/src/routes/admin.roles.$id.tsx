import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { rolesQuery } from '@/features/console/team/resource'

export const Route = createFileRoute('/admin/roles/$id')({
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('console/team'), queryClient.prefetchQuery(rolesQuery())),
  component: lazyPage(() => import('@/features/console/team/form-pages'), 'RolePage'),
})
