import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/services/renewals')({
  loader: () => loadTexts('service'),
  component: lazyPage(() => import('@/features/service/pages'), 'RenewalsPage'),
})
