import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { allAnnouncements } from '@/features/announcement/queries'
import { loadMarkdown } from '@/ui/load-markdown'

export const Route = createFileRoute('/user/announcements/announcements')({
  loader: ({ context: { queryClient } }) =>
    loadPage(
      loadTexts('announcement'),
      queryClient.prefetchQuery(allAnnouncements()),
      loadMarkdown(),
    ),
  component: lazyPage(
    () => import('@/features/announcement/announcements-page'),
    'AnnouncementsPage',
  ),
})
