import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { orderOf } from '@/features/console/money/details'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/orders/$id')({
  params: numericIdParams,
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(
      loadTexts('console/money', 'console/money-detail', 'console/ledger'),
      queryClient.prefetchQuery(orderOf(id)),
    ),
  component: lazyPage(() => import('@/features/console/money/detail-pages'), 'OrderPage'),
})
