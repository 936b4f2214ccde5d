import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { rechargeOf } from '@/features/console/money/details'

export const Route = createFileRoute('/admin/recharges/$id')({
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(
      loadTexts('console/money', 'console/money-detail', 'console/ledger'),
      queryClient.prefetchQuery(rechargeOf(id)),
    ),
  component: lazyPage(() => import('@/features/console/money/detail-pages'), 'RechargePage'),
})
