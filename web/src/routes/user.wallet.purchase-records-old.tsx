import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { searchOf, searchPage } from '@/shared/lib/search-part'

export const Route = createFileRoute('/user/wallet/purchase-records-old')({
  validateSearch: searchOf({
    page: searchPage,
  }),
  loader: () => loadTexts('wallet'),
  component: lazyPage(() => import('@/features/wallet/pages'), 'PurchaseRecordsPage'),
})
