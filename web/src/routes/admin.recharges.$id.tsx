import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { eventsOf, rechargeOf, returnsOf } from '@/features/console/money/details'
import { mayOf, roleQuery } from '@/features/console/parts/permissions'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/recharges/$id')({
  params: numericIdParams,
  loader: ({ context: { queryClient }, params: { id } }) => {
    const may = mayOf(queryClient.getQueryData(roleQuery().queryKey))
    return loadPage(
      loadTexts('console/money', 'console/money-detail', 'console/ledger'),
      queryClient.prefetchQuery(rechargeOf(id)),
      may('recharge.notify.read') && queryClient.prefetchQuery(eventsOf(Number(id))),
      may('money.refund.read') && queryClient.prefetchQuery(returnsOf(Number(id))),
    )
  },
  component: lazyPage(() => import('@/features/console/money/detail-pages'), 'RechargePage'),
})
