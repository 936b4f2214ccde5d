import { ApiError } from '@/lib/api/errors'

// Kept for the tab: a new password ends the session, and another page or a reload may be what finds that out.
const key = 'password-change-unanswered'

/** A change of the password whose answer did not arrive, so that either password may be the present one. */
export const unansweredChange = {
  /** Notes a failed change, unless the server refused it. */
  note(failure: unknown) {
    if (failure instanceof ApiError && failure.isPassing) sessionStorage.setItem(key, 'true')
  },

  isNoted: () => sessionStorage.getItem(key) !== null,

  forget: () => sessionStorage.removeItem(key),
}
