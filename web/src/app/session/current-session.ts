import { useSyncExternalStore } from 'react'
import { authorizeWith } from '@/api/client'
import { refresh } from '@/api/open-calls'
import { persistently } from './persistently'
import { Session, type SessionState } from './session'

/** The session of this tab; calls of the API take their bearer token from it. */
export const session = new Session((refreshToken) =>
  persistently(() => refresh({ refresh_token: refreshToken })),
)

authorizeWith(session)

export function useSession(): SessionState {
  return useSyncExternalStore(session.subscribe, () => session.state)
}
