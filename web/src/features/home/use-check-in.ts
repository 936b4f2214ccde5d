import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { checkinPost } from '@/lib/api/gen/sdk.gen'
import { problemText } from '@/lib/server-problem'
import { captchaRequestOf } from '@/ui/captcha/captcha-request'

/** Another tab has made it, or another device. */
const isDone = (error: unknown) => error instanceof ApiError && error.code === 'checkin_done'

/** Whether it was made is not known. There is one a day, so that another try cannot make a second one. */
const isUnanswered = (error: unknown) =>
  error instanceof ApiError &&
  error.attempt !== undefined &&
  !error.message &&
  (error.status === 0 || error.status >= 500)

/** Today's check-in: what it gave, and the captcha that it was refused for. */
export function useCheckIn() {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const [failure, setFailure] = useState<string>()
  const { mutate, data, error, isPending, variables, reset } = useMutation({
    mutationFn: (answer: string) =>
      checkinPost({ body: answer ? { verify_token: answer } : {}, throwOnError: true }),
    // The traffic that is left has changed, or what another tab did is to be shown. What was given is shown before
    // that is known: else the card would say for a moment that the day was done already.
    onSuccess: () => {
      void queryClient.invalidateQueries()
    },
    onError: (problem) => {
      if (isDone(problem)) return queryClient.invalidateQueries()
      // The card shows what came of it. While there is no connection that takes long, and nobody waits for it.
      if (isUnanswered(problem)) void queryClient.invalidateQueries()
      return undefined
    },
  })
  // An answer that is refused too: another one would not be taken either.
  const request = variables === '' ? captchaRequestOf(error) : undefined
  const isExpected = request !== undefined || isDone(error)
  const textOf = (problem: unknown) =>
    isUnanswered(problem) ? t('error.repeatable') : problemText(problem, t)
  const send = (answer: string) => {
    setFailure(undefined)
    mutate(answer)
  }
  return {
    submit: () => send(''),
    given: data?.data,
    isBusy: isPending || request !== undefined,
    problem: failure ?? (error && !isExpected ? textOf(error) : undefined),
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
