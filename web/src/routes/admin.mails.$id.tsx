import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { mailOf } from '@/features/console/mail/resources'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/mails/$id')({
  params: numericIdParams,
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(loadTexts('console/mail'), queryClient.prefetchQuery(mailOf(id, false))),
  component: lazyPage(() => import('@/features/console/mail/pages'), 'MailPage'),
})
