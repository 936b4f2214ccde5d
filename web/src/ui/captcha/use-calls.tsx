import { useQuery } from '@tanstack/react-query'
import {
  type ComponentProps,
  type ReactNode,
  type RefObject,
  Suspense,
  useRef,
  useState,
} from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { siteOptions } from '@/lib/api/site'
import { showServerProblem } from '@/lib/server-problem'
import { lazyPart } from '@/lib/lazy-part'
import { type CaptchaRequest, captchaRequestOf, type CaptchaKind, passIn } from './captcha-request'

const Captcha = lazyPart(() => import('./captcha'), 'Captcha')

const Shown = (props: ComponentProps<typeof Captcha>) => (
  <Suspense>
    <Captcha {...props} />
  </Suspense>
)

/** What a call takes to show that a captcha was solved. */
export type Proof = { verify_token?: string }

type Check = {
  /** unasked: none yet, where a site asks always it begins now. rested: none until a call is refused for it. */
  state: 'unasked' | 'open' | 'solved' | 'rested'
  request?: CaptchaRequest
  /** Sends what waits for the answer. */
  again?: () => void
  round: number
}

type Answer = { token: string; isToRefusal: boolean }

type Call = (send: (proof: Proof) => Promise<unknown>, again: () => void) => Promise<void>

export type Calls = {
  /**
   * Makes a call, or says in the form why it was refused. Where a captcha is needed first it is shown, and `again` is
   * called when it is solved: so what is sent then is what the form holds then.
   */
  call: Call
  /**
   * The same for a call that the server asks no captcha for, such as one with a code that was sent: what it asks for is
   * not touched, so that a code that is wrong costs no other captcha.
   */
  callFreely: Call
  /** The captcha, while there is one. */
  captcha: ReactNode
  isBusy: boolean
  /** What is wrong with the form as a whole. */
  problem: string | undefined
}

/** Keeps what a call gave for the next one; tells whether it gave something. */
function keepPass(answer: RefObject<Answer | undefined>, outcome: unknown): boolean {
  const token = passIn(outcome)
  if (token) answer.current = { token, isToRefusal: false }
  return token !== undefined
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

  const callWith =
    (isFree: boolean): Call =>
    async (send, again) => {
      // A captcha that a free call was refused for goes with it all the same.
      const given = isFree && !answer.current?.isToRefusal ? undefined : answer.current
      if (!isFree && isOpen && !given) return setCheck({ ...check, state: 'open', again })
      if (given) answer.current = undefined
      const next = (change: Omit<Check, 'round'>) =>
        setCheck(({ round }) => ({ ...change, round: round + 1 }))
      const isUntouched = isFree && !given
      try {
        keepPass(answer, await send(given ? { verify_token: given.token } : {}))
        if (!isUntouched) next({ state: 'rested' })
      } catch (error) {
        const request = captchaRequestOf(error)
        // An answer to a refusal that is refused too: another one would not be taken either.
        if (request && !given?.isToRefusal) return next({ state: 'open', request, again })
        const hasPass = keepPass(answer, error)
        if (!isUntouched) next({ state: hasPass || request ? 'rested' : 'unasked' })
        showServerProblem(form, error, t)
      }
    }

  const solve = (token: string) => {
    const { again, ...rest } = check
    answer.current = { token, isToRefusal: check.request !== undefined }
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

  const isShown = isOpen || check.state === 'solved'
  const events = { onSolved: solve, onExpired: expire, onFailed: fail }
  const captcha = isShown && (
    <Shown key={check.round} request={check.request} kind={kind} {...events} />
  )
  const isWaiting = isOpen && check.again !== undefined
  return {
    call: callWith(false),
    callFreely: callWith(true),
    captcha,
    isBusy: isSubmitting || isWaiting,
    problem: errors.root?.message,
  }
}
