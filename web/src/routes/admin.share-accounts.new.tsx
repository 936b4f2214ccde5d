import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/admin/share-accounts/new')({
  loader: () => loadPage(loadTexts('console/support')),
  component: lazyPage(
    () => import('@/features/console/support/share-form-pages'),
    'NewShareAccountPage',
  ),
})
