import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { apiKeys } from '@/features/console/api-keys/resource'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'

export const Route = createFileRoute('/admin/api-keys')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(loadTexts('console/api-key'), loadList(queryClient, apiKeys, deps)),
  component: lazyPage(() => import('@/features/console/api-keys/pages'), 'ApiKeysPage'),
})
