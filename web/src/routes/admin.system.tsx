import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { signingKeyQuery, systemQuery } from '@/features/console/system/resources'

export const Route = createFileRoute('/admin/system')({
  loader: ({ context: { queryClient } }) =>
    loadPage(
      loadTexts('console/system'),
      queryClient.prefetchQuery(systemQuery()),
      queryClient.prefetchQuery(signingKeyQuery()),
    ),
  component: lazyPage(() => import('@/features/console/system/pages'), 'SystemPage'),
})
