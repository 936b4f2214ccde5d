import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { guideOf } from '@/features/console/support/resource'

export const Route = createFileRoute('/admin/guides/$id')({
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(loadTexts('console/support'), queryClient.prefetchQuery(guideOf(id))),
  component: lazyPage(() => import('@/features/console/support/form-pages'), 'GuidePage'),
})
