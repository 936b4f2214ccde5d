import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'
import { gateways } from '@/features/console/money/gateway-resource'

export const Route = createFileRoute('/admin/gateways/')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(loadTexts('console/gateway'), loadList(queryClient, gateways, deps)),
  component: lazyPage(() => import('@/features/console/money/pages'), 'GatewaysPage'),
})
