import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { loadNodeGroups } from '@/features/console/network/resource'
import { planOf } from '@/features/console/shop/resource'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/plans/$id')({
  params: numericIdParams,
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(
      loadTexts('console/shop', 'shop'),
      queryClient.prefetchQuery(planOf(id)),
      loadNodeGroups(queryClient),
    ),
  component: lazyPage(() => import('@/features/console/shop/plan-form-pages'), 'PlanPage'),
})
