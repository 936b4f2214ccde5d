import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/test-page/_default/dashboard-demo')({
  component: lazyPage(() => import('@/features/demo/dashboard-demo-page'), 'DashboardDemoPage'),
})
