import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/test-page/_default/test7')({
  component: lazyPage(() => import('@/features/demo/test7-page'), 'Test7Page'),
})
