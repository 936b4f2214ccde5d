import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'
import { eventsQuery, webhooks } from '@/features/console/support/resource'

export const Route = createFileRoute('/admin/webhooks/')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(
      loadTexts('console/webhook'),
      loadList(queryClient, webhooks, deps),
      queryClient.prefetchQuery(eventsQuery()),
    ),
  component: lazyPage(() => import('@/features/console/webhooks/pages'), 'WebhooksPage'),
})
