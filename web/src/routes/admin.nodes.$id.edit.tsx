import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { nodeOf } from '@/features/console/network/resource'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/nodes/$id/edit')({
  params: numericIdParams,
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(loadTexts('console/node'), queryClient.prefetchQuery(nodeOf(id))),
  component: lazyPage(() => import('@/features/console/network/form-pages'), 'EditNodePage'),
})
