import type { RechargeRecord } from '@/api/gen/types.gen'
import { toAmount, toMinor } from '@/shared/lib/money'
import type { Tone } from '@/shared/ui/status-dot'

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

/** Whether another look at it can still bring news. */
export const isWaiting = ({ state }: RechargeRecord) => state === 'pending'

export const PAGE_SIZE = 15

export const pagesOf = (total: number) => Math.max(1, Math.ceil(total / PAGE_SIZE))
