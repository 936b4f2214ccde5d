import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { ticketsOf } from '@/features/ticket/queries'
import { searchOf, searchPage, searchText } from '@/lib/search-part'

const validateSearch = searchOf({ page: searchPage, q: searchText })

export const Route = createFileRoute('/user/tickets/')({
  validateSearch,
  loaderDeps: ({ search: { page, q } }) => ({ page, q }),
  loader: ({ context: { queryClient }, deps: { page, q }, cause }) =>
    loadPage(
      loadTexts('ticket'),
      cause !== 'stay' && queryClient.prefetchQuery(ticketsOf(page, q)),
    ),
  component: lazyPage(() => import('@/features/ticket/pages'), 'TicketsPage'),
})
