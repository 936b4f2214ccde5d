import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { siteOptions } from '@/lib/api/site'

/** Has the live chat follow the session, from the first signed-in page on, where the site has one. */
export function useChat(): void {
  const hasChat = Boolean(useQuery(siteOptions()).data?.crisp_website_id)
  useEffect(() => {
    if (!hasChat) return
    // Whoever is without the chat's chunk is without the chat, and notices nothing else.
    import('./current-chat').catch((error: unknown) => console.warn(error))
  }, [hasChat])
}
