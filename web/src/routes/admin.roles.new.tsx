import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { rolesQuery } from '@/features/console/team/resource'

/** From which role the new one is made. */
type From = { from?: string }

export const Route = createFileRoute('/admin/roles/new')({
  validateSearch: ({ from }: Record<string, unknown>): From =>
    typeof from === 'string' || typeof from === 'number' ? { from: String(from) } : {},
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('console/team'), queryClient.prefetchQuery(rolesQuery())),
  component: lazyPage(() => import('@/features/console/team/form-pages'), 'NewRolePage'),
})
