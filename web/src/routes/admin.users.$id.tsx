import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { loadUser } from '@/features/console/users/resource'
import { numericIdParams } from '@/lib/numeric-id'

export const Route = createFileRoute('/admin/users/$id')({
  params: numericIdParams,
  loader: ({ context: { queryClient }, params: { id } }) =>
    loadPage(
      loadTexts(
        'console/user',
        'console/user-actions',
        'console/user-tabs',
        'console/money',
        'console/ledger',
      ),
      loadUser(queryClient, id),
    ),
  component: lazyPage(() => import('@/features/console/users/detail-pages'), 'UserPage'),
})
