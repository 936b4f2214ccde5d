import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/test-page/_default/test6')({
  component: lazyPage(() => import('@/features/demo/test6-page'), 'Test6Page'),
})
