import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { overviewOf, periodOf } from '@/features/console/overview/resource'
import { listSearch, textsOf } from '@/features/console/parts/list-search'

export const Route = createFileRoute('/admin/traffic')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(
      loadTexts('console/traffic', 'console/overview'),
      queryClient.prefetchQuery(overviewOf(periodOf(textsOf(deps)), 'traffic')),
    ),
  component: lazyPage(() => import('@/features/console/traffic/pages'), 'TrafficPage'),
})
