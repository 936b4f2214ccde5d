import { PAGE_SIZE } from './list-queries'
import type { RechargeRecord } from '@/lib/api/gen/types.gen'
import { toAmount, toMinor } from '@/lib/money'
import type { Tone } from '@/ui/status-dot'

export const rechargeTones: Record<RechargeRecord['state'], Tone> = {
  pending: 'info',
  paid: 'success',
  expired: 'neutral',
  failed: 'error',
  refunded: 'warning',
}

export type AmountProblem = 'empty' | 'places' | 'low' | 'high'

/** What is wrong with an amount that somebody typed, if anything is. */
export function amountProblem(typed: string, min: string, max: string): AmountProblem | undefined {
  if (typed.trim() === '') return 'empty'
  if (!/^\d+(\.\d{1,2})?$/.test(typed.trim())) return 'places'
  if (toMinor(typed) < toMinor(min)) return 'low'
  return toMinor(typed) > toMinor(max) ? 'high' : undefined
}

/** "12" and "12.0" as the API writes them: "12.00". */
export const normalAmount = (typed: string) => toAmount(toMinor(typed))

/** Whether it can still be paid at a time of the server's. */
export const isPayable = ({ state, expires_at: end }: RechargeRecord, now: number) =>
  state === 'pending' && Date.parse(end) > now

/** Whether another look at it can still bring news: of the payment, or of the order that it completes. */
export const isUnderWay = ({ state, order }: RechargeRecord) =>
  state === 'pending' || (state === 'paid' && order?.state === 'pending')

/** How long to wait before the next look, when it was looked this often: often at first, less while nothing happens. */
export const pollMs = (looks: number) => Math.min(15_000, 2000 * 1.25 ** Math.max(0, looks - 15))

export const pagesOf = (total: number) => Math.max(1, Math.ceil(total / PAGE_SIZE))

/** The months from a time until now, newest first, as a zone's calendar has them: "2026-11". */
export function monthsSince(opened: string, now: number, timeZone: string): string[] {
  const month = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit' })
  const partsOf = (time: number) => {
    const [first, last] = month.format(time).split('-').map(Number)
    return { year: first ?? 0, month: last ?? 1 }
  }
  const from = partsOf(Date.parse(opened))
  const to = partsOf(now)
  const count = (to.year - from.year) * 12 + to.month - from.month + 1
  return Array.from({ length: Math.max(1, count) }, (_, ago) =>
    new Date(Date.UTC(to.year, to.month - 1 - ago)).toISOString().slice(0, 7),
  )
}

/** "November 2026" of "2026-11". */
export const monthName = (month: string, language: string) =>
  new Intl.DateTimeFormat(language, { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    Date.parse(`${month}-01T00:00:00Z`),
  )
