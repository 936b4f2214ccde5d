import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { spreads } from '@/features/console/links/resource'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'

export const Route = createFileRoute('/admin/link-fetches/spreads')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(loadTexts('console/link'), loadList(queryClient, spreads, deps)),
  component: lazyPage(() => import('@/features/console/links/pages'), 'SpreadsPage'),
})
