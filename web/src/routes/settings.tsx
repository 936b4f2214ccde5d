import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/settings')({
  component: lazyPage(() => import('@/app/layouts/settings-layout'), 'SettingsLayout'),
})
