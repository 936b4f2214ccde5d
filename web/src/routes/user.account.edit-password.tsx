import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/account/edit-password')({
  loader: () => loadTexts('security', 'account'),
  component: lazyPage(() => import('@/features/account/pages'), 'EditPasswordPage'),
})
