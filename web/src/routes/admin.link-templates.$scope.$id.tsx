import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { templatesQuery } from '@/features/console/links/resource'
import { hasNumericId } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/link-templates/$scope/$id')({
  params: { parse: (params) => hasNumericId(params) && params },
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('console/link'), queryClient.prefetchQuery(templatesQuery())),
  component: lazyPage(() => import('@/features/console/links/editor-pages'), 'TemplatePage'),
})
