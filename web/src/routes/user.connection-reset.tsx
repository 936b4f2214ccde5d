import { createFileRoute } from '@tanstack/react-router'
import { clientsListOptions, linkTokenGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { fetchesOf } from '@/features/home/queries'
import { searchOf } from '@/lib/search-part'

const validateSearch = searchOf({
  page: (part: unknown) => Math.max(1, Math.floor(Number(part)) || 1),
})

export const Route = createFileRoute('/user/connection-reset')({
  validateSearch,
  loaderDeps: ({ search: { page } }) => ({ page }),
  loader: ({ context: { queryClient }, deps: { page } }) =>
    loadPage(
      loadTexts('home'),
      queryClient.prefetchQuery(linkTokenGetOptions()),
      queryClient.prefetchQuery(fetchesOf(page)),
      queryClient.prefetchQuery({ ...clientsListOptions(), staleTime: Infinity }),
    ),
  component: lazyPage(() => import('@/features/home/connection-reset-page'), 'ConnectionResetPage'),
})
