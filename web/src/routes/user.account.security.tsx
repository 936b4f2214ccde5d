import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/account/security')({
  loader: () => loadTexts('security', 'account', 'telegram', 'passkey'),
  component: lazyPage(() => import('@/features/account/pages'), 'SecurityPage'),
})
