import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/wallet/billing/view-invoice/$id')({
  loader: () => loadTexts('wallet'),
  component: lazyPage(() => import('@/features/wallet/pages'), 'InvoicePage'),
})
