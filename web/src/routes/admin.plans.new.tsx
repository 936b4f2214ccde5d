import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { loadNodeGroups } from '@/features/console/network/resource'

export const Route = createFileRoute('/admin/plans/new')({
  /** The plan that is copied. */
  validateSearch: ({ copy }: Record<string, unknown>): { copy?: number } =>
    typeof copy === 'number' ? { copy } : {},
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('console/shop', 'shop'), loadNodeGroups(queryClient)),
  component: lazyPage(() => import('@/features/console/shop/plan-form-pages'), 'NewPlanPage'),
})
