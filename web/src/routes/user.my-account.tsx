import { createFileRoute } from '@tanstack/react-router'
import { accountMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/user/my-account')({
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('security'), queryClient.prefetchQuery(accountMeOptions())),
  component: lazyPage(() => import('@/features/account/pages'), 'MyAccountPage'),
})
