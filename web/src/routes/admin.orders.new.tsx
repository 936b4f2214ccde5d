import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/admin/orders/new')({
  /** For whom. */
  validateSearch: ({ user }: Record<string, unknown>): { user?: number } =>
    typeof user === 'number' ? { user } : {},
  loader: () => loadPage(loadTexts('console/order', 'console/money')),
  component: lazyPage(() => import('@/features/console/money/order-form-pages'), 'NewOrderPage'),
})
