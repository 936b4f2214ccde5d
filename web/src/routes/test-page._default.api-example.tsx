import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/test-page/_default/api-example')({
  component: lazyPage(() => import('@/features/demo/api-example-page'), 'ApiExamplePage'),
})
