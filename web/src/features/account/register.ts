import { signIn, signUp } from '@/lib/api/auth-api'
import { ApiError } from '@/lib/api/errors'

/** The address of a sign-up whose answer did not arrive. */
let unanswered: string | undefined

/** Signs up, or in to the account of a first try that arrived although its answer was lost. */
export async function register(body: Parameters<typeof signUp>[0]) {
  try {
    return await signUp(body)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { email, password } = body
    if (error.isPassing) unanswered = email
    if (error.code !== 'email_taken' || unanswered !== email) throw error
    return await signIn({ email, password }).catch(() => Promise.reject(error))
  }
}
