import { createFileRoute } from '@tanstack/react-router'
import { shopPlansOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/test-page/_default/shop-demo')({
  loader: ({ context: { queryClient, session } }) =>
    loadPage(
      loadTexts('demo'),
      session.state.status === 'authenticated' && queryClient.prefetchQuery(shopPlansOptions()),
    ),
  component: lazyPage(() => import('@/features/demo/shop-demo-page'), 'ShopDemoPage'),
})
