import { useState } from 'react'
import type { Attachment } from '@/lib/api/gen/types.gen'
import { useSession } from '@/lib/session/current-session'

/** A message that was sent and has no answer yet. It keeps its key, so that sent again it arrives once. */
export type Outgoing = { key: string; content: string; files?: Attachment[] }

/** What is written, its files as far as they have arrived, and what is on its way. */
export type Draft = { text: string; files: Attachment[]; outgoing: Outgoing[] }

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
  const name = `ticket-draft:${session.status === 'authenticated' ? session.user.user_id : 0}:${what}`
  const [value, setValue] = useState(() => read(name, empty))
  const change = (make: (before: T) => T) =>
    setValue((before) => {
      const after = make(before)
      write(name, after, isEmpty(after))
      return after
    })
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
