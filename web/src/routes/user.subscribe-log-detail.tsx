import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { nodeChoices, rowsOf } from '@/features/traffic/queries'
import { detailSearch } from '@/features/traffic/search'

export const Route = createFileRoute('/user/subscribe-log-detail')({
  validateSearch: detailSearch,
  loaderDeps: ({ search: { day, node } }) => ({ day, node }),
  // What a day asks for depends on the site's time zone: the page works it out.
  loader: ({ context: { queryClient }, deps: { day, node }, cause }) =>
    loadPage(
      loadTexts('traffic'),
      cause !== 'stay' &&
        day === undefined &&
        queryClient.prefetchInfiniteQuery(rowsOf({ node_id: node })),
      cause !== 'stay' && queryClient.prefetchQuery(nodeChoices()),
    ),
  component: lazyPage(() => import('@/features/traffic/pages'), 'DetailPage'),
})
