import { createFileRoute, notFound, redirect, rootRouteId } from '@tanstack/react-router'
import { userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { firstPage, mayOpen } from '@/app/console/find-page'
import '@/app/console/texts'
import { requireSignIn } from '@/app/guard'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { mayOf, roleQuery } from '@/features/console/parts/permissions'
import { ApiError } from '@/lib/api/errors'

const loadShell = () => loadTexts('console/shell', 'console/parts')

/** The staff console. For all others nothing is at these addresses; for a member, nothing where they may not read or make. */
export const Route = createFileRoute('/admin')({
  beforeLoad: async ({ context: { session, queryClient }, location }) => {
    await requireSignIn(session, location.href)
    const me = await queryClient.ensureQueryData(userGetMeOptions())
    if (!me.staff_role) throw notFound({ routeId: rootRouteId })
    if (me.staff_two_factor_due) throw redirect({ to: '/user/account/staff' })
    const role = await queryClient.ensureQueryData(roleQuery()).catch((error: unknown) => {
      // That page says why.
      if (error instanceof ApiError && error.code === 'staff_network')
        throw redirect({ to: '/user/account/staff' })
      throw error
    })
    const may = mayOf(role)
    if (/^\/admin\/?$/.test(location.pathname) && !may('overview.read'))
      throw redirect({ to: firstPage(may)?.to ?? '/user/account/staff' })
    if (!mayOpen(location.pathname, may)) {
      await loadShell()
      throw notFound()
    }
  },
  loader: () => loadShell(),
  component: lazyPage(() => import('@/app/console/console-layout'), 'ConsoleLayout'),
  notFoundComponent: lazyPage(() => import('@/app/console/not-found'), 'ConsoleWithoutPage'),
})
