import { infiniteQueryOptions, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffTicketAnswer, staffTicketGet, staffTicketNote } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffTicketMessage } from '@/lib/api/gen/staff/types.gen'
import { problemText } from '@/lib/server-problem'
import { dismissErrors, toast } from '@/ui/toast'
import { sayReceived } from '../parts/received'
import { myId } from '../parts/use-me'

/** Another member, or the customer, may write at any time. */
const LOOK_AGAIN_MS = 4_000

/** The newest messages of a ticket; each further page has the ones before. */
export const threadOf = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['console', 'tickets', 'thread', id],
    queryFn: async ({ pageParam, signal }) =>
      (
        await staffTicketGet({
          path: { ticket_id: id },
          query: { before: pageParam },
          signal,
          throwOnError: true,
        })
      ).data,
    initialPageParam: 0,
    getNextPageParam: (page) => (page.has_more ? page.messages[0]?.no : undefined),
    staleTime: 2_000,
  })

export function useThread(id: string) {
  const query = useInfiniteQuery({ ...threadOf(id), refetchInterval: LOOK_AGAIN_MS })
  const pages = query.data?.pages
  return {
    query,
    ticket: pages?.[0]?.ticket,
    messages: pages?.toReversed().flatMap(({ messages }) => messages) ?? [],
  }
}

export type Draft = {
  text: string
  isNote: boolean
  /** What is written in the other of reply and note. */ other?: string
  /** The last message that was there when it was begun. */ after?: number
}

const EMPTY: Draft = { text: '', isNote: false }

function read(name: string): Draft {
  try {
    return { ...EMPTY, ...(JSON.parse(localStorage.getItem(name) ?? '{}') as Draft) }
  } catch {
    return EMPTY
  }
}

/** The thread is often there before the lists that are read again with it. */
const hasArrived = (messages: readonly StaffTicketMessage[], sent: Draft) =>
  messages.some(
    ({ no, by_staff, content, is_note: isNote }) =>
      by_staff && no > (sent.after ?? 0) && isNote === sent.isNote && content === sent.text.trim(),
  )

/** Whoever wrote since a draft was begun: two answers are worse than none. Not what was sent without an answer. */
const rivalOf = (messages: readonly StaffTicketMessage[], draft: Draft, after: number) =>
  messages.find(
    ({ no, content, is_note: isNote }) => !isNote && no > after && content !== draft.text.trim(),
  )

/** What the member writes in a ticket, kept under both until it is sent; what is on its way is shown at once. */
export function useReply(id: string, messages: readonly StaffTicketMessage[]) {
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()
  const [name] = useState(() => `console-reply:${myId()}:${id}`)
  const [draft, setDraft] = useState(() => read(name))
  const [sending, setSending] = useState<Draft>()
  const last = messages.at(-1)?.no ?? 0

  const change = (part: Partial<Draft>) => {
    const next = { ...draft, ...part }
    if (draft.text === '' && next.text !== '') next.after = last
    setDraft(next)
    if (next.text === '' && !next.other) localStorage.removeItem(name)
    else localStorage.setItem(name, JSON.stringify(next))
  }
  /** A note never becomes the text of a reply. */
  const switchTo = (isNote: boolean) => {
    if (isNote !== draft.isNote) change({ isNote, text: draft.other ?? '', other: draft.text })
  }
  const readAgain = () => queryClient.invalidateQueries({ queryKey: ['console', 'tickets'] })
  const send = async (status?: 'resolved') => {
    const content = draft.text.trim()
    if (!content || sending) return false
    dismissErrors()
    setSending(draft)
    change({ text: '' })
    const call = {
      path: { ticket_id: id },
      throwOnError: true,
    } as const
    try {
      if (draft.isNote) await staffTicketNote({ ...call, body: { content } })
      else await staffTicketAnswer({ ...call, body: { content, status } })
      await readAgain()
      return true
    } catch (error) {
      if (sayReceived(error)) {
        await readAgain()
        return true
      }
      // Back into the field: nothing that was written is lost.
      setDraft(draft)
      localStorage.setItem(name, JSON.stringify(draft))
      await toast('error', problemText(error, common))
      return false
    } finally {
      setSending(undefined)
    }
  }
  const rival = draft.text === '' ? undefined : rivalOf(messages, draft, draft.after ?? last)
  return {
    draft,
    change,
    switchTo,
    isSending: sending !== undefined,
    sending: sending && hasArrived(messages, sending) ? undefined : sending,
    send,
    rival,
  }
}
