import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { loadPlanNames } from '@/features/console/parts/plan-names'

export const Route = createFileRoute('/admin/share-accounts/new')({
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('console/support'), loadPlanNames(queryClient)),
  component: lazyPage(
    () => import('@/features/console/support/share-form-pages'),
    'NewShareAccountPage',
  ),
})
