import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { settingsQuery } from '@/features/console/settings/resource'

export const Route = createFileRoute('/admin/settings')({
  validateSearch: listSearch,
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('console/system'), queryClient.prefetchQuery(settingsQuery())),
  component: lazyPage(() => import('@/features/console/settings/pages'), 'SettingsPage'),
})
