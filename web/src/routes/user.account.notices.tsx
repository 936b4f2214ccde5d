import { createFileRoute } from '@tanstack/react-router'
import { noticesGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { pushQuery } from '@/features/notices/push-calls'

export const Route = createFileRoute('/user/account/notices')({
  loader: ({ context: { queryClient } }) =>
    loadPage(
      loadTexts('notices'),
      queryClient.prefetchQuery(noticesGetOptions()),
      queryClient.prefetchQuery(pushQuery),
    ),
  component: lazyPage(() => import('@/features/notices/notices-page'), 'NoticesPage'),
})
