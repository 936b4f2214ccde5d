import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { problemText } from '@/lib/server-problem'
import { type Purchase, quoteOptions } from '../quote'

/** The quote of a purchase: with the coupon if the server accepts it, else without it and with the reason. */
export function useQuote(purchase: Purchase, coupon: string | undefined) {
  const { t } = useTranslation()
  const full = useQuery(quoteOptions(purchase))
  const lowered = useQuery({
    ...quoteOptions({ ...purchase, coupon }),
    enabled: coupon !== undefined,
  })
  const isLowered = coupon !== undefined && lowered.isSuccess
  return {
    query: isLowered ? lowered : full,
    /** The coupon of the address. */
    coupon,
    /** The purchase to send: with the coupon only if it was accepted. */
    purchase: isLowered ? { ...purchase, coupon } : purchase,
    isChecking: coupon !== undefined && lowered.isPending,
    checkAgain: () => void lowered.refetch(),
    couponProblem:
      lowered.error && !full.error
        ? (couponProblem(lowered.error) ?? problemText(lowered.error, t, true))
        : undefined,
  }
}

/** The server's message about the coupon, if the coupon is what it refuses. */
export const couponProblem = (error: Error | null): string | undefined =>
  error instanceof ApiError
    ? error.fields.find(({ field }) => field === 'coupon')?.message
    : undefined
