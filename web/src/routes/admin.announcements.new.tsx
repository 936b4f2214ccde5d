import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/admin/announcements/new')({
  loader: () => loadPage(loadTexts('console/content')),
  component: lazyPage(() => import('@/features/console/content/form-pages'), 'NewAnnouncementPage'),
})
