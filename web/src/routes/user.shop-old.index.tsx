import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/shop-old/')({
  loader: () => loadTexts('shop'),
  component: lazyPage(() => import('@/features/shop/pages'), 'ShopOldPage'),
})
