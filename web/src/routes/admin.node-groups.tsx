import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { nodeGroups } from '@/features/console/network/resource'

export const Route = createFileRoute('/admin/node-groups')({
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('console/node'), queryClient.prefetchQuery(nodeGroups())),
  component: lazyPage(() => import('@/features/console/network/pages'), 'NodeGroupsPage'),
})
