import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'
import { invoices } from '@/features/console/money/resources'

export const Route = createFileRoute('/admin/invoices')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(loadTexts('console/ledger'), loadList(queryClient, invoices, deps)),
  component: lazyPage(() => import('@/features/console/money/detail-pages'), 'InvoicesPage'),
})
