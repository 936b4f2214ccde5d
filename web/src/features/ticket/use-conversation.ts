import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ticketsUnreadQueryKey } from '@/lib/api/gen/@tanstack/react-query.gen'
import { ticketMessageSend, ticketRead } from '@/lib/api/gen/sdk.gen'
import type { TicketMessage } from '@/lib/api/gen/types.gen'
import { ApiError } from '@/lib/api/errors'
import { session } from '@/lib/session/current-session'
import { newIdempotencyKey } from '@/lib/idempotency-key'
import { problemText } from '@/lib/server-problem'
import { type Outgoing, useDraft } from './drafts'
import { beyond, findArrived, isSame, refused, without } from './outgoing'
import { conversationOf } from './queries'
import { MAX_FILES, useUploads } from './use-uploads'

/** A ticket with its messages as far as they were asked for, oldest first. */
export function useConversation(id: string) {
  const query = useInfiniteQuery(conversationOf(id))
  const pages = query.data?.pages
  return {
    query,
    ticket: pages?.[0]?.ticket,
    messages: pages?.toReversed().flatMap(({ messages }) => messages) ?? [],
  }
}

/** Notes what is in sight as read. */
export function useReading(id: string, last: number | undefined, isUnread: boolean): void {
  const queryClient = useQueryClient()
  const note = useEffectEvent(async (upTo: number) => {
    if (document.visibilityState !== 'visible') return
    const { data } = await ticketRead({
      path: { ticket_id: id },
      body: { up_to: upTo },
      throwOnError: true,
    })
    queryClient.setQueryData(ticketsUnreadQueryKey(), data)
  })
  useEffect(() => {
    if (!isUnread || !last || session.isVisit) return
    const look = () => void note(last).catch(() => undefined) // it is unread then, and noted with the next one
    look()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [last, isUnread])
}

export type Sending = Outgoing & {
  /** Why it did not arrive; undefined while it is on its way. */
  problem?: string
}

/** What a failed sending says, and whether the server refused the message, so that it did not arrive. */
function useProblem() {
  const { t } = useTranslation('ticket')
  const { t: common } = useTranslation()
  return (error: unknown) => {
    if (!(error instanceof ApiError)) return { text: problemText(error, common), isRefusal: false }
    const text =
      error.status === 401
        ? t('send.signedOut')
        : (error.fields[0]?.message ?? problemText(error, common))
    return { text, isRefusal: !error.isPassing }
  }
}

/** The messages that are on their way or did not arrive, with what delivers them. */
function useSending(id: string, log: readonly TicketMessage[]) {
  const { t } = useTranslation('ticket')
  const problemOf = useProblem()
  const queryClient = useQueryClient()
  const [draft, change] = useDraft(id)
  const [problems, setProblems] = useState<Record<string, string | undefined>>(() =>
    // What was on its way when the page was left: whether it arrived is known once the log shows it or it is sent again.
    Object.fromEntries(
      draft.outgoing.map(({ key, refusal }) => [key, refusal ?? t('send.unknown')]),
    ),
  )

  // While one is on its way, a message of the log may be that one.
  const isUnderWay = draft.outgoing.some(({ key }) => problems[key] === undefined)
  const arrived = isUnderWay ? undefined : findArrived(draft.outgoing, log)
  const { key: arrivedKey, no: arrivedNo = 0 } = arrived ?? {}
  const drop = useEffectEvent((key: string, no: number) =>
    change((before) => beyond(without(before, key), no)),
  )
  useEffect(() => {
    if (arrivedKey) drop(arrivedKey, arrivedNo)
  }, [arrivedKey, arrivedNo])

  const deliver = async ({ key, content, files = [], refusal }: Outgoing, isNew = false) => {
    setProblems((before) => ({ ...before, [key]: undefined }))
    change((before) => refused(before, key, undefined))
    try {
      const { data } = await ticketMessageSend({
        path: { ticket_id: id },
        body: { content, attachments: files.map(({ id: file }) => file) },
        headers: { 'Idempotency-Key': key },
        throwOnError: true,
      })
      change((before) => beyond(before, data.no))
    } catch (error) {
      const { text, isRefusal } = problemOf(error)
      setProblems((before) => ({ ...before, [key]: text }))
      // After an attempt without an answer a refusal of this one does not say that nothing arrived.
      if (isRefusal && (isNew || refusal)) change((before) => refused(before, key, text))
      return
    }
    await queryClient.invalidateQueries({ queryKey: conversationOf(id).queryKey })
    change((before) => without(before, key))
  }
  const sending = draft.outgoing
    .filter(({ key }) => key !== arrivedKey)
    .map((message): Sending => ({ ...message, problem: problems[message.key] }))
  return { draft, change, deliver, sending }
}

/**
 * The user's side of a conversation: what is being written survives a reload, what is sent is shown at once, and what did
 * not arrive can be sent again, under the key that it had.
 */
export function useWriting(id: string, log: readonly TicketMessage[]) {
  const { draft, change, deliver, sending } = useSending(id, log)
  const uploads = useUploads(draft.files, (make) =>
    change((before) => ({ ...before, files: make(before.files) })),
  )
  const isEmpty = draft.text.trim() === '' && draft.files.length === 0
  const canSend = !uploads.isBusy && !isEmpty
  return {
    text: draft.text,
    uploads,
    canSend,
    /** Whether what is in the field was sent once already, without an answer. */
    mayHaveArrived: draft.edited !== undefined && !isEmpty,
    write: (text: string) => change((before) => ({ ...before, text })),
    sending,
    send: () => {
      if (!canSend) return
      const written = { content: draft.text.trim(), files: draft.files }
      const first = draft.edited && isSame(draft.edited, written) ? draft.edited : undefined
      const message = first ?? { key: newIdempotencyKey(), after: log.at(-1)?.no ?? 0, ...written }
      change(({ outgoing }) => ({ text: '', files: [], outgoing: [...outgoing, message] }))
      void deliver(message, !first)
    },
    sendAgain: (message: Outgoing) => void deliver(message),
    /** Back into the field, to change it or to leave it. */
    takeBack: ({ key, content, files = [], refusal, after }: Outgoing) =>
      change((before) => ({
        ...without(before, key),
        text: [content, before.text].filter(Boolean).join('\n\n'),
        files: [...files, ...before.files].slice(0, MAX_FILES),
        edited:
          refusal === undefined
            ? { key, content, files, ...(after !== undefined && { after }) }
            : before.edited,
      })),
  }
}
