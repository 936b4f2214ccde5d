import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { axisOf, calendarOf, nodeChoices } from '@/features/traffic/queries'
import { chartSearch } from '@/features/traffic/search'
import { DEFAULT_RANGE } from '@/features/traffic/ranges'

export const Route = createFileRoute('/user/subscribe-log-chart')({
  validateSearch: chartSearch,
  loaderDeps: ({ search: { range, node, month } }) => ({ range, node, month }),
  loader: ({ context: { queryClient }, deps: { range, node, month }, cause }) =>
    loadPage(
      loadTexts('traffic'),
      cause !== 'stay' && queryClient.prefetchQuery(axisOf(range ?? DEFAULT_RANGE, node)),
      cause !== 'stay' && queryClient.prefetchQuery(calendarOf(month)),
      cause !== 'stay' && queryClient.prefetchQuery(nodeChoices()),
    ),
  component: lazyPage(() => import('@/features/traffic/pages'), 'ChartPage'),
})
