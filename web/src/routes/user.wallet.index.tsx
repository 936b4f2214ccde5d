import { createFileRoute } from '@tanstack/react-router'
import { walletGetOptions } from '@/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { movementReasons } from '@/features/wallet/reasons'
import { searchOf, searchOneOf, searchPage } from '@/shared/lib/search-part'

export const Route = createFileRoute('/user/wallet/')({
  validateSearch: searchOf({
    page: searchPage,
    reason: (part: unknown) => searchOneOf(movementReasons, part),
  }),
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('wallet'), queryClient.prefetchQuery(walletGetOptions())),
  component: lazyPage(() => import('@/features/wallet/pages'), 'WalletPage'),
})
