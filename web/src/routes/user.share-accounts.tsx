import { createFileRoute } from '@tanstack/react-router'
import { userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { shares } from '@/features/share/queries'

export const Route = createFileRoute('/user/share-accounts')({
  loader: ({ context: { queryClient } }) =>
    loadPage(
      loadTexts('share'),
      queryClient.prefetchQuery(shares()),
      queryClient.prefetchQuery(userGetMeOptions()),
    ),
  component: lazyPage(() => import('@/features/share/pages'), 'ShareAccountsPage'),
})
