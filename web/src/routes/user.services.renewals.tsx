import { createFileRoute } from '@tanstack/react-router'
import { serviceRenewalsOptions, userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/user/services/renewals')({
  loader: ({ context: { queryClient } }) =>
    loadPage(
      loadTexts('service'),
      queryClient.prefetchQuery(serviceRenewalsOptions()),
      queryClient.prefetchQuery(userGetMeOptions()),
    ),
  component: lazyPage(() => import('@/features/service/pages'), 'RenewalsPage'),
})
