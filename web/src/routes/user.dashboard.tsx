import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/dashboard')({
  component: lazyPage(() => import('@/features/service/dashboard-page'), 'DashboardPage'),
})
