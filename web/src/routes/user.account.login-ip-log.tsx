import { createFileRoute } from '@tanstack/react-router'
import { accountLoginIpLogOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/user/account/login-ip-log')({
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('security'), queryClient.prefetchQuery(accountLoginIpLogOptions())),
  component: lazyPage(() => import('@/features/account/pages'), 'LoginIpLogPage'),
})
