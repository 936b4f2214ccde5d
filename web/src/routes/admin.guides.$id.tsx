import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { guideOf } from '@/features/console/support/resource'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/guides/$id')({
  params: numericIdParams,
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(loadTexts('console/support'), queryClient.prefetchQuery(guideOf(id))),
  component: lazyPage(() => import('@/features/console/support/form-pages'), 'GuidePage'),
})
