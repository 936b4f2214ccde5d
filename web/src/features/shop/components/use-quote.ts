import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { problemText } from '@/lib/server-problem'
import { type Purchase, quoteOptions } from '../quote'

/** What a purchase costs: with the coupon where the server takes it, else without, and why it does not. */
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
    /** As the address has it. */
    coupon,
    /** As it is bought. */
    purchase: isLowered ? { ...purchase, coupon } : purchase,
    isChecking: coupon !== undefined && lowered.isPending,
    checkAgain: () => void lowered.refetch(),
    couponProblem:
      lowered.error && !full.error
        ? (couponProblem(lowered.error) ?? problemText(lowered.error, t))
        : undefined,
  }
}

/** What the server says of the coupon, where that is what it refuses. */
export const couponProblem = (error: Error | null): string | undefined =>
  error instanceof ApiError
    ? error.fields.find(({ field }) => field === 'coupon')?.message
    : undefined
