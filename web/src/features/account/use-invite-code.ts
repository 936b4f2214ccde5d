import { useEffect } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { ApiError } from '@/lib/api/errors'
import { checkInviteCode } from '@/lib/api/auth-api'

const KEPT_AS = 'invite_code'

type Form = UseFormReturn<{
  email: string
  email_code: string
  name: string
  password: string
  re_password: string
  invite_code: string
  accepted_terms: boolean
}>

/** The code of the link that led to this site; kept for the visit, since people look around before they sign up. */
export function invitedBy(code: string | undefined): string {
  if (code) sessionStorage.setItem(KEPT_AS, code)
  return code ?? sessionStorage.getItem(KEPT_AS) ?? ''
}

/**
 * Asks at once whether the code of the link is good, and later whether a typed one is: gives what to call with the
 * field's value when it is left.
 */
export function useInviteCodeCheck(form: Form, linked: string): (code: string) => void {
  const check = (code: string) => void checkIn(form, code)
  useEffect(() => void checkIn(form, linked), [form, linked])
  return check
}

async function checkIn(form: Form, value: string): Promise<void> {
  const code = value.trim()
  if (!code) return
  try {
    await checkInviteCode({ invite_code: code })
  } catch (error) {
    // Anything else, such as too many tries, is no answer: sign-up itself asks again.
    const problem =
      error instanceof ApiError && error.fields.find(({ field }) => field === 'invite_code')
    if (!problem || form.getValues('invite_code').trim() !== code) return
    form.setError('invite_code', { type: problem.code, message: problem.message })
  }
}
