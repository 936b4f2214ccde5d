import { createFileRoute } from '@tanstack/react-router'
import { userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { redemptionsOf } from '@/features/wallet/list-queries'
import { searchOf, searchPage } from '@/lib/search-part'

const validateSearch = searchOf({
  page: searchPage,
})

export const Route = createFileRoute('/user/wallet/recharge/cd-key')({
  validateSearch,
  loaderDeps: ({ search: { page } }) => ({ page }),
  loader: ({ context: { queryClient }, deps: { page }, cause }) =>
    loadPage(
      loadTexts('wallet'),
      queryClient.prefetchQuery(userGetMeOptions()),
      cause !== 'stay' && queryClient.prefetchQuery(redemptionsOf(page)),
    ),
  component: lazyPage(() => import('@/features/wallet/form-pages'), 'CdKeyPage'),
})
