import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'

export const Route = createFileRoute('/admin/users/import')({
  validateSearch: listSearch,
  loader: () => loadPage(loadTexts('console/user-import')),
  component: lazyPage(() => import('@/features/console/users/import-pages'), 'UserImportPage'),
})
