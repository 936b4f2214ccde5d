import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { daysOf, invitesOf } from '@/features/console/support/resource'
import { listSearch } from '@/features/console/parts/list-search'

export const Route = createFileRoute('/admin/invites')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(
      loadTexts('console/invite'),
      queryClient.prefetchQuery(invitesOf(daysOf(deps as Record<string, unknown>))),
    ),
  component: lazyPage(() => import('@/features/console/invites/pages'), 'InvitesPage'),
})
