import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { loadWaiting } from '@/features/console/overview/waiting'

export const Route = createFileRoute('/admin/')({
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('console/overview'), loadWaiting(queryClient)),
  component: lazyPage(() => import('@/features/console/overview/overview-page'), 'OverviewPage'),
})
