import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/test-page/_wide/test2')({
  component: lazyPage(() => import('@/features/demo/test2-page'), 'Test2Page'),
})
