import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { gatewayKinds, gatewayOf } from '@/features/console/money/gateway-resource'

export const Route = createFileRoute('/admin/gateways/$id')({
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(
      loadTexts('console/gateway'),
      queryClient.prefetchQuery(gatewayOf(id)),
      queryClient.prefetchQuery(gatewayKinds()),
    ),
  component: lazyPage(() => import('@/features/console/money/form-pages'), 'GatewayPage'),
})
