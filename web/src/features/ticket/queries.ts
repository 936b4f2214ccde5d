import { infiniteQueryOptions } from '@tanstack/react-query'
import { ticketsListOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { ticketMessages } from '@/lib/api/gen/sdk.gen'

// Asked for by routes beside the pages' code, and by the pages.

export const PAGE_SIZE = 15

// What a route asked for a moment ago; staff may answer at any time.
const staleTime = 2_000

export const ticketsOf = (page: number, words: string | undefined) => ({
  ...ticketsListOptions({ query: { page, size: PAGE_SIZE, q: words } }),
  staleTime,
})

/** The newest messages of a ticket; each further page has the ones before. */
export const conversationOf = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['ticket-conversation', id],
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await ticketMessages({
        path: { ticket_id: id },
        query: { before: pageParam },
        signal,
        throwOnError: true,
      })
      return data
    },
    initialPageParam: 0,
    getNextPageParam: (page) => (page.has_more ? page.messages[0]?.no : undefined),
    staleTime,
  })
