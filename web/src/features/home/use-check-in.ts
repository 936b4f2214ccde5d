import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { checkinPost } from '@/lib/api/gen/sdk.gen'
import { newIdempotencyKey } from '@/lib/idempotency-key'
import { problemText } from '@/lib/server-problem'
import { captchaRequestOf } from '@/ui/captcha/captcha-request'

/** Another tab has made it, or another device. */
const isDone = (error: unknown) => error instanceof ApiError && error.code === 'checkin_done'

/** Whether it was made is not known. */
const isLost = (error: unknown) => error instanceof ApiError && !error.message

/** Today's check-in: what it gave, and the captcha that it was refused for. */
export function useCheckIn() {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const [failure, setFailure] = useState<string>()
  const { mutate, data, error, isPending, variables, reset } = useMutation({
    mutationFn: (answer: string) =>
      checkinPost({
        body: answer ? { verify_token: answer } : {},
        // One a day is made in any case. With a key, what is said of a lost answer is that another try is safe.
        headers: { 'Idempotency-Key': newIdempotencyKey() },
        throwOnError: true,
      }),
    // The traffic that is left has changed, or what another tab did is to be shown. What was given is shown before
    // that is known: else the card would say for a moment that the day was done already.
    onSuccess: () => {
      void queryClient.invalidateQueries()
    },
    onError: (problem) => {
      if (isDone(problem)) return queryClient.invalidateQueries()
      // The card shows what came of it. While there is no connection that takes long, and nobody waits for it.
      if (isLost(problem)) void queryClient.invalidateQueries()
      return undefined
    },
  })
  // An answer that is refused too: another one would not be taken either.
  const request = variables === '' ? captchaRequestOf(error) : undefined
  const isExpected = request !== undefined || isDone(error)
  const send = (answer: string) => {
    setFailure(undefined)
    mutate(answer)
  }
  return {
    submit: () => send(''),
    given: data?.data,
    isBusy: isPending || request !== undefined,
    problem: failure ?? (error && !isExpected ? problemText(error, t) : undefined),
    /** Undefined while none is asked for. */
    captcha: request && {
      request,
      onSolved: send,
      onExpired: reset,
      onFailed: (problem: string) => {
        reset()
        setFailure(problem)
      },
    },
  }
}
