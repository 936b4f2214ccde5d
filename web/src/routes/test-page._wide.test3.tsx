import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/test-page/_wide/test3')({
  component: lazyPage(() => import('@/features/demo/test3-page'), 'Test3Page'),
})
