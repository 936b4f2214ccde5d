import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { announcements } from '@/features/console/content/resource'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'

export const Route = createFileRoute('/admin/announcements/')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(loadTexts('console/content'), loadList(queryClient, announcements, deps)),
  component: lazyPage(() => import('@/features/console/content/pages'), 'AnnouncementsPage'),
})
