import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, useRef, useState } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { siteOptions } from '@/api/site'
import { showServerProblem } from '@/shared/lib/server-problem'
import { lazyPart } from '../lazy'
import { type Asked, askedBy, type CaptchaKind } from './asked'

const Captcha = lazyPart(() => import('./captcha'), 'Captcha')

/** What a call takes to show that a captcha was solved. */
export type Proof = { verify_token?: string }

type Check = {
  /** unasked: none yet, where a site asks always it begins now. rested: none until a call is refused for it. */
  state: 'unasked' | 'open' | 'solved' | 'rested'
  asked?: Asked
  /** Sends what waits for the answer. */
  again?: () => void
  round: number
}

type Answer = { token: string; isToRefusal: boolean }

export type Calls = {
  /**
   * Makes a call, or says in the form why it was refused. Where a captcha is needed first it is shown, and `again` is
   * called when it is solved: so what is sent then is what the form holds then.
   */
  call: (send: (proof: Proof) => Promise<unknown>, again: () => void) => Promise<void>
  /** The captcha, while there is one. */
  captcha: ReactNode
  isBusy: boolean
  /** What is wrong with the form as a whole. */
  problem: string | undefined
}

/** The calls of one form. `kind` is what the site may always ask a captcha for; it is begun while the form is filled in. */
export function useCalls<T extends FieldValues>(form: UseFormReturn<T>, kind?: CaptchaKind): Calls {
  const { t } = useTranslation()
  const { data: site } = useQuery(siteOptions())
  const [check, setCheck] = useState<Check>({ state: 'unasked', round: 0 })
  const answer = useRef<Answer>(undefined)
  const { isSubmitting, errors } = form.formState

  const isAlways = kind !== undefined && site?.captcha[kind] === 'always'
  const isOpen = check.state === 'open' || (check.state === 'unasked' && isAlways)

  const call: Calls['call'] = async (send, again) => {
    if (isOpen && !answer.current) return setCheck({ ...check, state: 'open', again })
    const given = answer.current
    answer.current = undefined
    const next = (change: Omit<Check, 'round'>) =>
      setCheck(({ round }) => ({ ...change, round: round + 1 }))
    try {
      await send(given ? { verify_token: given.token } : {})
      next({ state: 'rested' })
    } catch (error) {
      const asked = askedBy(error)
      // An answer to a refusal that is refused too: another one would not be taken either.
      if (asked && !given?.isToRefusal) return next({ state: 'open', asked, again })
      next({ state: asked ? 'rested' : 'unasked' })
      showServerProblem(form, error, t)
    }
  }

  const solve = (token: string) => {
    const { again, ...rest } = check
    answer.current = { token, isToRefusal: check.asked !== undefined }
    setCheck({ ...rest, state: 'solved' })
    again?.()
  }
  const expire = () => {
    answer.current = undefined
    setCheck({ ...check, state: 'open' })
  }
  const fail = (message: string) => {
    setCheck({ state: 'rested', round: check.round + 1 })
    if (check.again) form.setError('root', { message })
  }

  const captcha = (isOpen || check.state === 'solved') && (
    <Suspense>
      <Captcha
        key={check.round}
        asked={check.asked}
        kind={kind}
        onSolved={solve}
        onExpired={expire}
        onFailed={fail}
      />
    </Suspense>
  )
  const isWaiting = isOpen && check.again !== undefined
  return { call, captcha, isBusy: isSubmitting || isWaiting, problem: errors.root?.message }
}
