import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/test-page/_default/test4')({
  component: lazyPage(() => import('@/features/demo/test4-page'), 'Test4Page'),
})
