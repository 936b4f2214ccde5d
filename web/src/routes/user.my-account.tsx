import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/my-account')({
  loader: () => loadTexts('security'),
  component: lazyPage(() => import('@/features/account/pages'), 'MyAccountPage'),
})
