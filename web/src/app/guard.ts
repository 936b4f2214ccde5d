import { redirect } from '@tanstack/react-router'
import { paths } from '@/lib/constants'
import type { Session } from '@/lib/session/session'
import { tokenStorage } from '@/lib/session/token-storage'

/** Lets signed-in users pass and leads everybody else to the sign-in page and back. */
export async function requireSignIn(session: Session, href: string): Promise<void> {
  if (tokenStorage.isRefreshStopped()) return
  if (session.isExpired) await session.refresh()
  if (session.state.status === 'unauthenticated') {
    throw redirect({ to: paths.signIn, search: { next: href } })
  }
}
