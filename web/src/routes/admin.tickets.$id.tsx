import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { loadTexts } from '@/app/i18n'
import { threadOf } from '@/features/console/tickets/use-thread'

export const Route = createFileRoute('/admin/tickets/$id')({
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(loadTexts('console/ticket'), queryClient.prefetchInfiniteQuery(threadOf(id))),
  component: lazyPage(() => import('@/features/console/tickets/pages'), 'TicketPage'),
})
