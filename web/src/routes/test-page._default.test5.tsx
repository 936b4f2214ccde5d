import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/test-page/_default/test5')({
  component: lazyPage(() => import('@/features/demo/test5-page'), 'Test5Page'),
})
