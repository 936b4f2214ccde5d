import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { memberOf, rolesQuery } from '@/features/console/team/resource'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/staff/$id')({
  params: numericIdParams,
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(
      loadTexts('console/team'),
      queryClient.prefetchQuery(memberOf(id)),
      queryClient.prefetchQuery(rolesQuery()),
    ),
  component: lazyPage(() => import('@/features/console/team/pages'), 'MemberPage'),
})
