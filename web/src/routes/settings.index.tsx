import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/settings/')({
  loader: () => loadTexts('common'),
  component: lazyPage(() => import('@/app/settings-page'), 'SettingsPage'),
})
