import { useSyncExternalStore } from 'react'
import { authorizeWith } from '@/lib/api/client'
import { refresh } from '@/lib/api/auth-api'
import { retry } from './retry'
import { Session, type SessionState } from './session'

/** The session of this tab; calls of the API take their bearer token from it. */
export const session = new Session((refreshToken) =>
  retry(() => refresh({ refresh_token: refreshToken })),
)

authorizeWith(session)

export function useSession(): SessionState {
  return useSyncExternalStore(session.subscribe, () => session.state)
}
