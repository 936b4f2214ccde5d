import { useSyncExternalStore } from 'react'
import { session } from '@/lib/session/current-session'

/** Who is signed in. */
export const useMe = (): number => useSyncExternalStore(session.subscribe, myId)

/** The same outside of components: what the browser keeps of a person's work is named by it. */
export const myId = (): number => session.userId ?? 0
