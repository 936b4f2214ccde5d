import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { activityOf } from '@/features/account/activity-query'
import { searchOf, searchPage } from '@/lib/search-part'

const validateSearch = searchOf({
  page: searchPage,
})

export const Route = createFileRoute('/user/account/activity')({
  validateSearch,
  loaderDeps: ({ search: { page } }) => ({ page }),
  loader: ({ context: { queryClient }, deps: { page }, cause }) =>
    loadPage(
      loadTexts('security'),
      cause !== 'stay' && queryClient.prefetchQuery(activityOf(page)),
    ),
  component: lazyPage(() => import('@/features/account/pages'), 'ActivityPage'),
})
