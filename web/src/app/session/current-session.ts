import { useSyncExternalStore } from 'react'
import { authorizeWith, sendOpenly } from '@/api/client'
import { authRefresh } from '@/api/gen/sdk.gen'
import { persistently } from './persistently'
import { Session, type SessionState } from './session'

/** The session of this tab; calls of the API take their bearer token from it. */
export const session = new Session(async (refreshToken) => {
  const { data } = await persistently(() =>
    // The access token would only be in the way: it is what has to be replaced.
    authRefresh({
      body: { refresh_token: refreshToken },
      fetch: (request) => sendOpenly(request as Request),
    }),
  )
  return data
})

authorizeWith(session)

export function useSession(): SessionState {
  return useSyncExternalStore(session.subscribe, () => session.state)
}
