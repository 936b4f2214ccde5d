import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { bulkJobOf, bulkRowsOf } from '@/features/console/bulk/resource'
import { listSearch } from '@/features/console/parts/list-search'
import { loadRows } from '@/features/console/parts/resource'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/bulk-jobs/$id')({
  params: numericIdParams,
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, params: { id }, deps }) =>
    loadPage(
      loadTexts('console/bulk'),
      Promise.all([
        queryClient.prefetchQuery(bulkJobOf(id)),
        loadRows(queryClient, bulkRowsOf(id), deps),
      ]),
    ),
  component: lazyPage(() => import('@/features/console/bulk/pages'), 'BulkJobPage'),
})
