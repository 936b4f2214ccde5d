import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'
import { anomalies } from '@/features/console/traffic/anomalies'

export const Route = createFileRoute('/admin/anomalies')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(loadTexts('console/traffic'), loadList(queryClient, anomalies, deps)),
  component: lazyPage(() => import('@/features/console/traffic/pages'), 'AnomaliesPage'),
})
