import { createFileRoute } from '@tanstack/react-router'
import { clientsListOptions, linkTokenGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { searchOf } from '@/lib/search-part'

export const Route = createFileRoute('/user/connection-reset')({
  validateSearch: searchOf({
    page: (part: unknown) => Math.max(1, Math.floor(Number(part)) || 1),
  }),
  loader: ({ context: { queryClient } }) =>
    loadPage(
      loadTexts('home'),
      queryClient.prefetchQuery(linkTokenGetOptions()),
      queryClient.prefetchQuery({ ...clientsListOptions(), staleTime: Infinity }),
    ),
  component: lazyPage(() => import('@/features/home/connection-reset-page'), 'ConnectionResetPage'),
})
