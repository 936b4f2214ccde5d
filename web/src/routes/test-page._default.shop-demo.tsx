import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/test-page/_default/shop-demo')({
  component: lazyPage(() => import('@/features/demo/shop-demo-page'), 'ShopDemoPage'),
})
