import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/dashboard')({
  loader: () => loadTexts('home'),
  component: lazyPage(() => import('@/features/home/dashboard-page'), 'DashboardPage'),
})
