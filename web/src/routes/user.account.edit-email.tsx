import { createFileRoute } from '@tanstack/react-router'
import { accountMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/user/account/edit-email')({
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('security', 'account'), queryClient.prefetchQuery(accountMeOptions())),
  component: lazyPage(() => import('@/features/account/pages'), 'EditEmailPage'),
})
