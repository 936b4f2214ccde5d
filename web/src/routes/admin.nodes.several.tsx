import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { allNodes } from '@/features/console/network/resource'

export const Route = createFileRoute('/admin/nodes/several')({
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('console/node'), queryClient.prefetchQuery(allNodes())),
  component: lazyPage(() => import('@/features/console/network/pages'), 'SeveralNodesPage'),
})
