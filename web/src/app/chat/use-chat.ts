import { useEffect } from 'react'

/** Has the live chat follow the session, from the first signed-in page on. */
export function useChat(): void {
  useEffect(() => {
    // Whoever is without the chat's chunk is without the chat, and notices nothing else.
    import('./current-chat').catch((error: unknown) => console.warn(error))
  }, [])
}
