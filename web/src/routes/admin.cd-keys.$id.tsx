import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { loadPlanNames } from '@/features/console/parts/plan-names'
import { keyBatchOf } from '@/features/console/shop/resource'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/cd-keys/$id')({
  params: numericIdParams,
  validateSearch: listSearch,
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(
      loadTexts('console/cdkey'),
      queryClient.prefetchQuery(keyBatchOf(id)),
      loadPlanNames(queryClient),
    ),
  component: lazyPage(() => import('@/features/console/shop/pages'), 'KeyBatchPage'),
})
