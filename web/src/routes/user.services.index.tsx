import { createFileRoute } from '@tanstack/react-router'
import {
  serviceRenewalsOptions,
  servicesListOptions,
  userGetMeOptions,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/user/services/')({
  loader: ({ context: { queryClient } }) =>
    loadPage(
      loadTexts('service'),
      queryClient.prefetchQuery(servicesListOptions()),
      queryClient.prefetchQuery(userGetMeOptions()),
      queryClient.prefetchQuery(serviceRenewalsOptions()),
    ),
  component: lazyPage(() => import('@/features/service/pages'), 'ServicesPage'),
})
