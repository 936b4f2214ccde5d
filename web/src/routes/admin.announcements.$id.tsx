import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { announcementOf, broadcastsOf, reachOf } from '@/features/console/content/resource'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/announcements/$id')({
  params: numericIdParams,
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(
      loadTexts('console/content'),
      queryClient.prefetchQuery(announcementOf(id)),
      queryClient.prefetchQuery(broadcastsOf(Number(id))),
      queryClient.prefetchQuery(reachOf(Number(id))),
    ),
  component: lazyPage(() => import('@/features/console/content/form-pages'), 'AnnouncementPage'),
})
