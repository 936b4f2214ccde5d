import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/account/close')({
  loader: () => loadTexts('security', 'account'),
  component: lazyPage(() => import('@/features/account/pages'), 'CloseAccountPage'),
})
