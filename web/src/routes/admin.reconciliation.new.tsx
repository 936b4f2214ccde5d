import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { gatewaySums } from '@/features/console/reconciliation/resources'

export const Route = createFileRoute('/admin/reconciliation/new')({
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('console/reconciliation'), queryClient.prefetchQuery(gatewaySums())),
  component: lazyPage(
    () => import('@/features/console/reconciliation/pages'),
    'StatementImportPage',
  ),
})
