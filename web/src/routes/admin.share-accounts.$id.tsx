import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { loadPlanNames } from '@/features/console/parts/plan-names'
import { shareAccountOf } from '@/features/console/support/resource'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/share-accounts/$id')({
  params: numericIdParams,
  validateSearch: listSearch,
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(
      loadTexts('console/support'),
      queryClient.prefetchQuery(shareAccountOf(id)),
      loadPlanNames(queryClient),
    ),
  component: lazyPage(
    () => import('@/features/console/support/share-form-pages'),
    'ShareAccountPage',
  ),
})
