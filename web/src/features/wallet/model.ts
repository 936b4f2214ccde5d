import { PAGE_SIZE } from './list-queries'
import { gatewaysListRules } from '@/lib/api/gen/rules.gen'
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

type AmountProblem = 'empty' | 'places' | 'low' | 'high'

/** What is wrong with a typed amount, if anything. */
export function amountProblem(typed: string, min: string, max: string): AmountProblem | undefined {
  if (typed.trim() === '') return 'empty'
  if (!gatewaysListRules.amount.pattern.test(typed.trim())) return 'places'
  if (toMinor(typed) < toMinor(min)) return 'low'
  return toMinor(typed) > toMinor(max) ? 'high' : undefined
}

/** Writes "12" and "12.0" as the API does: "12.00". */
export const normalAmount = (typed: string) => toAmount(toMinor(typed))

/** Reports whether a recharge can still be paid at the given server time. */
export const isPayable = ({ state, expires_at: end }: RechargeRecord, now: number) =>
  state === 'pending' && Date.parse(end) > now

/** Reports whether the recharge can still change: by its payment, or by the order that it completes. */
export const isUnderWay = ({ state, order }: RechargeRecord) =>
  state === 'pending' || (state === 'paid' && order?.state === 'pending')

/** The delay before the next request: short at first, then growing to 15 seconds. */
export const pollMs = (requestCount: number) =>
  Math.min(15_000, 2000 * 1.25 ** Math.max(0, requestCount - 15))

export const pagesOf = (total: number) => Math.max(1, Math.ceil(total / PAGE_SIZE))

/** The months from a time until now in a time zone, newest first, as "2026-11". */
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

/** Formats "2026-11" as "November 2026". */
export const monthName = (month: string, language: string) =>
  new Intl.DateTimeFormat(language, { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    Date.parse(`${month}-01T00:00:00Z`),
  )
