import { createFileRoute } from '@tanstack/react-router'
import { userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'

export const Route = createFileRoute('/user/account/staff')({
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('staff'), queryClient.prefetchQuery(userGetMeOptions())),
  component: lazyPage(() => import('@/features/staff/staff-page'), 'StaffPage'),
})
