import { createFileRoute, notFound, redirect } from '@tanstack/react-router'
import { userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import '@/app/console/texts'
import { requireSignIn } from '@/app/guard'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { roleQuery } from '@/features/console/parts/permissions'

/** The staff console. For all others there is nothing at these addresses. */
export const Route = createFileRoute('/admin')({
  beforeLoad: async ({ context: { session, queryClient }, location }) => {
    await requireSignIn(session, location.href)
    const me = await queryClient.ensureQueryData(userGetMeOptions())
    if (!me.staff_role) throw notFound()
    if (me.staff_two_factor_due) throw redirect({ to: '/user/account/staff' })
  },
  loader: ({ context: { queryClient } }) =>
    Promise.all([
      loadTexts('console/shell', 'console/parts'),
      queryClient.ensureQueryData(roleQuery()),
    ]),
  component: lazyPage(() => import('@/app/console/console-layout'), 'ConsoleLayout'),
})
