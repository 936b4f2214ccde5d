import { createFileRoute } from '@tanstack/react-router'
import i18next from 'i18next'
import { userGetMeOptions, walletGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { siteOptions } from '@/lib/api/site'
import { recentRecharges } from '@/lib/recent-recharge'
import { startGateways } from '@/features/wallet/recharge-start'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { searchNumber, searchOf, searchText } from '@/lib/search-part'

const validateSearch = searchOf({
  /** The recharge that was begun: its number, or the id that gateways send back. */
  id: (part: unknown) => searchNumber(part) ?? searchText(part),
  /** How much one tried to recharge before; quoted in an address, where it is a number else. */
  amount: searchText,
})

export const Route = createFileRoute('/user/wallet/recharge/new')({
  validateSearch,
  loaderDeps: ({ search: { id, amount } }) => ({ id, amount }),
  loader: async ({ context: { queryClient }, deps: { id, amount } }) => {
    const site = await queryClient.ensureQueryData(siteOptions())
    await loadPage(
      loadTexts('wallet'),
      // Only a recharge that pays for an order names one.
      id !== undefined && i18next.loadNamespaces('order'),
      queryClient.prefetchQuery(startGateways(site, amount)),
      queryClient.prefetchQuery(recentRecharges()),
      queryClient.prefetchQuery(walletGetOptions()),
      queryClient.prefetchQuery(userGetMeOptions()),
    )
  },
  component: lazyPage(() => import('@/features/wallet/form-pages'), 'RechargePage'),
})
