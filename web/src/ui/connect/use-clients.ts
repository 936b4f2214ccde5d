import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { clientsListOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { LinkApp as Client } from '@/lib/api/gen/types.gen'
import { clientsFor, detectPlatform, lastUsedClient, rememberClient } from './import-client'

const platform = detectPlatform(navigator.userAgent, navigator.maxTouchPoints)

const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The clients for this device's system: the one to import with, the same wherever a page names it, and the others. */
export function useClients() {
  const { data: clients = [] } = useQuery({ ...clientsListOptions(), staleTime: Infinity })
  const lastUsed = useSyncExternalStore(subscribe, lastUsedClient)
  const [first, ...others] = clientsFor(clients, platform, lastUsed)
  return {
    first,
    others,
    /** Keeps the client as the first one from now on. */
    prefer: (client: Client) => {
      rememberClient(client.id)
      for (const listener of listeners) listener()
    },
  }
}
