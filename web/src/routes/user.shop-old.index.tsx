import { createFileRoute } from '@tanstack/react-router'
import { shopPlansOptions, userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/user/shop-old/')({
  loader: ({ context: { queryClient } }) =>
    loadPage(
      loadTexts('shop'),
      queryClient.prefetchQuery(shopPlansOptions()),
      queryClient.prefetchQuery(userGetMeOptions()),
    ),
  component: lazyPage(() => import('@/features/shop/pages'), 'ShopOldPage'),
})
