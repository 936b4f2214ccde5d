import { createFileRoute } from '@tanstack/react-router'
import { userGetMeOptions, walletGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { invoicesOf } from '@/features/wallet/list-queries'
import { searchMonth, searchOf, searchPage } from '@/lib/search-part'

const validateSearch = searchOf({
  page: searchPage,
  /** Without it all months. */
  month: searchMonth,
})

export const Route = createFileRoute('/user/wallet/billing/')({
  validateSearch,
  loaderDeps: ({ search: { page, month } }) => ({ page, month }),
  loader: ({ context: { queryClient }, deps: { page, month }, cause }) =>
    loadPage(
      loadTexts('wallet'),
      queryClient.prefetchQuery(walletGetOptions()),
      queryClient.prefetchQuery(userGetMeOptions()),
      cause !== 'stay' && queryClient.prefetchQuery(invoicesOf(page, month)),
    ),
  component: lazyPage(() => import('@/features/wallet/pages'), 'BillingPage'),
})
