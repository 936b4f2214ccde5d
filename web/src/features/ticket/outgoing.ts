import type { Attachment, TicketMessage } from '@/lib/api/gen/types.gen'
import type { Draft, Outgoing } from './drafts'

type Written = { content: string; files?: Attachment[] }

const idsOf = (files: Attachment[] = []) => files.map(({ id }) => id).join()

/** Whether two messages say the same, with the same files. */
export const isSame = (one: Written, other: Written) =>
  one.content === other.content && idsOf(one.files) === idsOf(other.files)

/**
 * The first of the unanswered messages that the log shows, and its number there. A message of the log stands for one
 * only: whoever drops that one calls `beyond` with the number.
 */
export function findArrived(outgoing: readonly Outgoing[], log: readonly TicketMessage[]) {
  for (const { key, after, refusal, ...written } of outgoing) {
    if (refusal !== undefined || after === undefined) continue
    const found = log.find(
      ({ no, by_staff, content, attachments }) =>
        !by_staff && no > after && isSame(written, { content, files: attachments }),
    )
    if (found) return { key, no: found.no }
  }
  return undefined
}

/** Notes that the message with this number is none of those that are still unanswered. */
export const beyond = (draft: Draft, no: number): Draft => ({
  ...draft,
  outgoing: draft.outgoing.map((message) =>
    message.after === undefined || message.after >= no ? message : { ...message, after: no },
  ),
})

export const without = (draft: Draft, key: string): Draft => ({
  ...draft,
  outgoing: draft.outgoing.filter((message) => message.key !== key),
})

export const refused = (draft: Draft, key: string, refusal: string | undefined): Draft => ({
  ...draft,
  outgoing: draft.outgoing.map((message) =>
    message.key === key ? { ...message, refusal } : message,
  ),
})
