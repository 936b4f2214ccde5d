import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { loadRows } from '@/features/console/parts/resource'
import { deliveriesOf, eventsQuery, webhookOf } from '@/features/console/support/resource'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/webhooks/$id')({
  params: numericIdParams,
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, params: { id }, deps }) =>
    loadPage(
      loadTexts('console/webhook'),
      queryClient.prefetchQuery(webhookOf(id)),
      queryClient.prefetchQuery(eventsQuery()),
      loadRows(queryClient, deliveriesOf(Number(id)), deps),
    ),
  component: lazyPage(() => import('@/features/console/webhooks/pages'), 'WebhookPage'),
})
