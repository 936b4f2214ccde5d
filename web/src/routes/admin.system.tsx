import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { systemQuery } from '@/features/console/system/resources'

export const Route = createFileRoute('/admin/system')({
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('console/system'), queryClient.prefetchQuery(systemQuery())),
  component: lazyPage(() => import('@/features/console/system/pages'), 'SystemPage'),
})
