import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { auditEntryOf } from '@/features/console/trust/resource'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/audit-log/$id')({
  params: numericIdParams,
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(loadTexts('console/trust'), queryClient.prefetchQuery(auditEntryOf(id))),
  component: lazyPage(() => import('@/features/console/trust/pages'), 'AuditEntryPage'),
})
