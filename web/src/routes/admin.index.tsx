import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/admin/')({
  loader: () => loadPage(loadTexts('console/overview')),
  component: lazyPage(() => import('@/features/console/overview/overview-page'), 'OverviewPage'),
})
