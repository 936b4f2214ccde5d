import { createFileRoute } from '@tanstack/react-router'
import { servicesListOptions, userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { searchNumber, searchOf } from '@/lib/search-part'

export const Route = createFileRoute('/user/services-old')({
  validateSearch: searchOf({
    /** The service whose bills are unfolded. */
    bills: searchNumber,
  }),
  loader: ({ context: { queryClient } }) =>
    loadPage(
      loadTexts('service'),
      queryClient.prefetchQuery(servicesListOptions()),
      queryClient.prefetchQuery(userGetMeOptions()),
    ),
  component: lazyPage(() => import('@/features/service/pages'), 'ServicesOldPage'),
})
