import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { conversationOf } from '@/features/ticket/queries'
import { loadMarkdown } from '@/ui/load-markdown'

export const Route = createFileRoute('/user/tickets/view/$id')({
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(
      loadTexts('ticket'),
      queryClient.prefetchInfiniteQuery(conversationOf(id)),
      loadMarkdown(),
    ),
  component: lazyPage(() => import('@/features/ticket/pages'), 'TicketPage'),
})
