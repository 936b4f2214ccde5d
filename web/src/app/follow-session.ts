import type { QueryClient } from '@tanstack/react-query'
import type { AnyRouter } from '@tanstack/react-router'
import type { Session } from './session/session'

/** When another person, or nobody, is signed in: no data of the last one stays, and the guard is asked again. */
export function followSession(session: Session, queryClient: QueryClient, router: AnyRouter): void {
  const userOf = () =>
    session.state.status === 'authenticated' ? session.state.user.user_id : undefined
  let user = userOf()
  session.subscribe(() => {
    if (userOf() === user) return
    const hadUser = user !== undefined
    user = userOf()
    if (!hadUser) return
    queryClient.clear()
    if (router.state.location.pathname.startsWith('/user')) void router.invalidate()
  })
}
