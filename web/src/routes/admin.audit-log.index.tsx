import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { listSearch } from '@/features/console/parts/list-search'
import { loadList } from '@/features/console/parts/resource'
import { auditActionsQuery, auditChainQuery, auditLog } from '@/features/console/trust/resource'

export const Route = createFileRoute('/admin/audit-log/')({
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    loadPage(
      loadTexts('console/trust'),
      Promise.all([
        loadList(queryClient, auditLog, deps),
        queryClient.prefetchQuery(auditChainQuery()),
        'action' in deps && queryClient.prefetchQuery(auditActionsQuery()),
      ]),
    ),
  component: lazyPage(() => import('@/features/console/trust/pages'), 'AuditLogPage'),
})
