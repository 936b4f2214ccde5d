import { createFileRoute } from '@tanstack/react-router'
import { accountLossOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/user/account/close')({
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('security', 'account'), queryClient.prefetchQuery(accountLossOptions())),
  component: lazyPage(() => import('@/features/account/pages'), 'CloseAccountPage'),
})
