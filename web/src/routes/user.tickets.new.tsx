import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/user/tickets/new')({
  loader: () => loadPage(loadTexts('ticket', 'captcha')),
  component: lazyPage(() => import('@/features/ticket/pages'), 'NewTicketPage'),
})
