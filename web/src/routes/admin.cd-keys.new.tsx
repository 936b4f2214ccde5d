import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/admin/cd-keys/new')({
  loader: () => loadPage(loadTexts('console/cdkey')),
  component: lazyPage(() => import('@/features/console/shop/form-pages'), 'NewKeyBatchPage'),
})
