import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { recordsOf } from '@/features/audit/queries'
import { searchNumber, searchOf, searchPage } from '@/lib/search-part'

const validateSearch = searchOf({
  page: searchPage,
  /** The id of the only rule that is asked for. */
  rule: searchNumber,
})

export const Route = createFileRoute('/user/audit/view')({
  validateSearch,
  loaderDeps: ({ search: { page, rule } }) => ({ page, rule }),
  loader: ({ context: { queryClient }, deps: { page, rule }, cause }) =>
    loadPage(
      loadTexts('audit'),
      cause !== 'stay' && queryClient.prefetchQuery(recordsOf(page, rule)),
    ),
  component: lazyPage(() => import('@/features/audit/pages'), 'LogPage'),
})
