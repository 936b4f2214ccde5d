import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { loadOverview, periodOf } from '@/features/console/overview/resource'
import { loadWaiting } from '@/features/console/overview/waiting'
import { listSearch, textsOf } from '@/features/console/parts/list-search'

export const Route = createFileRoute('/admin/')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(
      loadTexts('console/overview'),
      loadWaiting(queryClient),
      loadOverview(queryClient, periodOf(textsOf(deps))),
    ),
  component: lazyPage(() => import('@/features/console/overview/overview-page'), 'OverviewPage'),
})
