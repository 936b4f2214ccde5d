import { createFileRoute } from '@tanstack/react-router'
import { userGetMeOptions, walletGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { movementReasons } from '@/features/wallet/reasons'
import { movementsOf } from '@/features/wallet/list-queries'
import { searchOf, searchOneOf, searchPage } from '@/lib/search-part'

const validateSearch = searchOf({
  page: searchPage,
  reason: (part: unknown) => searchOneOf(movementReasons, part),
})

export const Route = createFileRoute('/user/wallet/')({
  validateSearch,
  loaderDeps: ({ search: { page, reason } }) => ({ page, reason }),
  loader: ({ context: { queryClient }, deps: { page, reason }, cause }) =>
    loadPage(
      loadTexts('wallet'),
      queryClient.prefetchQuery(walletGetOptions()),
      queryClient.prefetchQuery(userGetMeOptions()),
      cause !== 'stay' && queryClient.prefetchQuery(movementsOf(page, reason)),
    ),
  component: lazyPage(() => import('@/features/wallet/pages'), 'WalletPage'),
})
