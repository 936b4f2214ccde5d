import type { QueryClient } from '@tanstack/react-query'
import type { AnyRouter } from '@tanstack/react-router'
import { paths } from '@/lib/constants'
import type { Session } from '@/lib/session/session'

/**
 * When another person, or nobody, is signed in: no data of the last one stays. Another person's page is loaded again;
 * nobody is led to the sign-in page, and back from there. After a visit the member is led back to the console.
 */
export function followSession(session: Session, queryClient: QueryClient, router: AnyRouter): void {
  let user = session.userId
  let wasVisit = session.isVisit
  session.subscribe(() => {
    if (session.userId === user) return
    const before = user
    user = session.userId
    if (wasVisit && user === undefined) return location.replace(`/admin/users/${before}`)
    wasVisit = session.isVisit
    if (before === undefined) return
    queryClient.clear()
    const { href, pathname } = router.state.location
    if (pathname.startsWith('/auth')) return
    if (user !== undefined) void router.invalidate()
    else void router.navigate({ to: paths.signIn, search: { next: href }, ignoreBlocker: true })
  })
}
