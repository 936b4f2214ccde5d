import { useRef, useState } from 'react'
import type { Attachment } from '@/lib/api/gen/types.gen'
import { useSession } from '@/lib/session/current-session'

/** A message that was sent and did not arrive yet. It keeps its key, so that sent again it arrives once. */
export type Outgoing = {
  key: string
  content: string
  files?: Attachment[]
  /** Why the server refused it. Absent where no answer says that it did not arrive. */
  refusal?: string | undefined
  /** The number of the last message of the log before this one: if it arrived, its own is greater. */
  after?: number
}

/** What is written, its files as far as they have arrived, and what is on its way. */
export type Draft = {
  text: string
  files: Attachment[]
  outgoing: Outgoing[]
  /** The message whose text went back into the field although it may have arrived. */
  edited?: Outgoing | undefined
}

const EMPTY: Draft = { text: '', files: [], outgoing: [] }

function read<T>(name: string, empty: T): T {
  try {
    return { ...empty, ...(JSON.parse(localStorage.getItem(name) ?? '{}') as T) }
  } catch {
    return empty
  }
}

function write(name: string, value: unknown, isEmpty: boolean): void {
  try {
    if (isEmpty) localStorage.removeItem(name)
    else localStorage.setItem(name, JSON.stringify(value))
  } catch {
    // No room, or none allowed: it is lost with the page.
  }
}

/** Something a user writes that is kept in this browser until it is sent, apart from what other users write in it. */
function useKept<T>(what: string, empty: T, isEmpty: (value: T) => boolean) {
  const session = useSession()
  const user = session.status === 'authenticated' ? session.user : undefined
  // A visit of staff stores nothing: its text is not the user's, and cannot be sent.
  const name = user?.by_staff ? '' : `ticket-draft:${user?.user_id ?? 0}:${what}`
  const [value, setValue] = useState(() => read(name, empty))
  // An answer that ends the session comes when nothing of the page is shown any more, and is kept all the same.
  const now = useRef(value)
  const change = (make: (before: T) => T) => {
    now.current = make(now.current)
    write(name, now.current, !name || isEmpty(now.current))
    setValue(now.current)
  }
  return [value, change] as const
}

/** What the user writes in a ticket. */
export const useDraft = (id: string) =>
  useKept<Draft>(
    id,
    EMPTY,
    ({ text, files, outgoing }) => text === '' && files.length === 0 && outgoing.length === 0,
  )

export type NewTicket = {
  title: string
  content: string
  category: string
  files: Attachment[]
  key: string
}

/** A ticket that the user is about to open. */
export const useNewTicketDraft = () =>
  useKept<NewTicket>(
    'new',
    { title: '', content: '', category: 'general', files: [], key: '' },
    ({ title, content, files }) => title === '' && content === '' && files.length === 0,
  )
