import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/test-page/_default/test8')({
  component: lazyPage(() => import('@/features/demo/test8-page'), 'Test8Page'),
})
