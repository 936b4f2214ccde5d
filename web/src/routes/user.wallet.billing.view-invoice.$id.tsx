import { createFileRoute } from '@tanstack/react-router'
import { invoiceGetOptions, userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/user/wallet/billing/view-invoice/$id')({
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(
      loadTexts('wallet'),
      queryClient.prefetchQuery(invoiceGetOptions({ path: { invoice_id: id } })),
      queryClient.prefetchQuery(userGetMeOptions()),
    ),
  component: lazyPage(() => import('@/features/wallet/pages'), 'InvoicePage'),
})
