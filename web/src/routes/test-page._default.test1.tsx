import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/test-page/_default/test1')({
  component: lazyPage(() => import('@/features/demo/test1-page'), 'Test1Page'),
})
