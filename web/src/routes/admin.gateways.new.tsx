import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { gatewayKinds } from '@/features/console/money/gateway-resource'

export const Route = createFileRoute('/admin/gateways/new')({
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('console/gateway'), queryClient.prefetchQuery(gatewayKinds())),
  component: lazyPage(() => import('@/features/console/money/form-pages'), 'NewGatewayPage'),
})
