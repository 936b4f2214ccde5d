import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { statementOf } from '@/features/console/reconciliation/resources'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/reconciliation/$id')({
  params: numericIdParams,
  validateSearch: listSearch,
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(loadTexts('console/reconciliation'), queryClient.prefetchQuery(statementOf(id))),
  component: lazyPage(() => import('@/features/console/reconciliation/pages'), 'StatementPage'),
})
