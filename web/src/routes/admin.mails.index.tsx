import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'
import { mails } from '@/features/console/mail/resources'

export const Route = createFileRoute('/admin/mails/')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(loadTexts('console/mail'), loadList(queryClient, mails, deps)),
  component: lazyPage(() => import('@/features/console/mail/pages'), 'MailsPage'),
})
