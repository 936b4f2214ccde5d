import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { gatewayKinds, gatewayOf } from '@/features/console/money/gateway-resource'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/gateways/$id')({
  params: numericIdParams,
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(
      loadTexts('console/gateway'),
      queryClient.prefetchQuery(gatewayOf(id)),
      queryClient.prefetchQuery(gatewayKinds()),
    ),
  component: lazyPage(() => import('@/features/console/money/form-pages'), 'GatewayPage'),
})
