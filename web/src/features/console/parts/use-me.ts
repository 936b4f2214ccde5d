import { session, useSession } from '@/lib/session/current-session'
import type { SessionState } from '@/lib/session/session'

/** Who is signed in. */
export const userIdOf = (state: SessionState) =>
  state.status === 'authenticated' ? state.user.user_id : 0

export const useMe = (): number => userIdOf(useSession())

/** The same outside of components: what the browser keeps of a person's work is named by it. */
export const myId = (): number => userIdOf(session.state)
