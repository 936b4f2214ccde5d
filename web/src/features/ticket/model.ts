import type { TicketItem, TicketMessage } from '@/lib/api/gen/types.gen'
import type { Tone } from '@/ui/status-dot'

export type TicketCategory = TicketItem['category']

export const categories = [
  'general',
  'connection',
  'billing',
  'account',
] as const satisfies readonly TicketCategory[]

/** What a ticket's state means for its user. */
export function conditionOf(ticket: Pick<TicketItem, 'ticket_status' | 'awaiting'>) {
  const tones: Record<TicketItem['ticket_status'], Tone> = {
    pending: 'info',
    processing: ticket.awaiting === 'user' ? 'warning' : 'info',
    resolved: 'success',
    closed: 'neutral',
  }
  const isAnswered = ticket.ticket_status === 'processing' && ticket.awaiting === 'user'
  const key = isAnswered ? ('answered' as const) : ticket.ticket_status
  return { tone: tones[ticket.ticket_status], key }
}

/** Messages by the day on which they were written, in their order. */
export function byDay(messages: readonly TicketMessage[]): TicketMessage[][] {
  const days: TicketMessage[][] = []
  for (const message of messages) {
    const day = days.at(-1)
    const isSame =
      day?.[0] &&
      new Date(day[0].created_at).toDateString() === new Date(message.created_at).toDateString()
    if (isSame) day.push(message)
    else days.push([message])
  }
  return days
}

const EXCERPT_LENGTH = 140

/** The beginning of a text in one line, without the signs of Markdown. */
export const excerptOf = (content: string) =>
  content
    .replaceAll(/[`*_~#]+|\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, EXCERPT_LENGTH)
