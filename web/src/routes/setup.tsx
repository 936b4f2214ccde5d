import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/setup')({
  loader: () => loadTexts('account'),
  component: lazyPage(() => import('@/app/setup-page'), 'SetupPage'),
})
