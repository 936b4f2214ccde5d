import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'
import { myId } from '@/features/console/parts/use-me'
import { tickets } from '@/features/console/tickets/resource'

export const Route = createFileRoute('/admin/tickets')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(loadTexts('console/ticket'), loadList(queryClient, tickets(myId()), deps)),
  component: lazyPage(() => import('@/features/console/tickets/pages'), 'TicketsPage'),
})
