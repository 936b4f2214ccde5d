import type { QueryClient } from '@tanstack/react-query'
import { siteTexts } from '@/lib/api/site-texts'
import { loadMarkdown } from '@/ui/load-markdown'

/** Loads what a page with a text of the operator's shows. */
export const loadLegal = (queryClient: QueryClient) =>
  Promise.all([queryClient.prefetchQuery(siteTexts(document.documentElement.lang)), loadMarkdown()])
