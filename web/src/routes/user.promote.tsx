import { createFileRoute } from '@tanstack/react-router'
import {
  inviteCodesOptions,
  inviteGetOptions,
  invitePayoutsOptions,
  userGetMeOptions,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/user/promote')({
  loader: ({ context: { queryClient } }) =>
    loadPage(
      loadTexts('invite'),
      queryClient.prefetchQuery(inviteGetOptions()),
      queryClient.prefetchQuery(inviteCodesOptions()),
      queryClient.prefetchQuery(invitePayoutsOptions()),
      queryClient.prefetchQuery(userGetMeOptions()),
    ),
  component: lazyPage(() => import('@/features/invite/promote-page'), 'PromotePage'),
})
