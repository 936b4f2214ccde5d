import { useSyncExternalStore } from 'react'
import { refresh } from '@/api/account'
import { authorizeWith } from '@/api/client'
import { persistently } from './persistently'
import { Session, type SessionState } from './session'

/** The session of this tab; calls of the API take their bearer token from it. */
export const session = new Session((refreshToken) => persistently(() => refresh(refreshToken)))

authorizeWith(session)

export function useSession(): SessionState {
  return useSyncExternalStore(session.subscribe, () => session.state)
}
