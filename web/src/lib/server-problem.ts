import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form'
import type { TFunction } from 'i18next'
import { ApiError } from '@/lib/api/errors'

/** Puts a failed call's problems at the fields of the form they name, and the rest at the form as a whole. */
export function showServerProblem<T extends FieldValues>(
  form: UseFormReturn<T>,
  error: unknown,
  t: TFunction<'common'>,
): void {
  const fields = error instanceof ApiError ? error.fields : []
  const known = fields.filter((problem) => problem.field in form.getValues())
  known.forEach((problem, index) => {
    form.setError(
      problem.field as FieldPath<T>,
      { type: problem.code, message: problem.message },
      { shouldFocus: index === 0 },
    )
  })
  if (known.length === 0) form.setError('root', { message: problemText(error, t) })
}

/** What lasts longer the server says in its own words, as "tomorrow". */
const LONG_WAIT_S = 3600

/**
 * A sentence for the user about any failure. `isReading` is for a call that changes nothing though it is no GET, such as a
 * quote.
 */
export function problemText(error: unknown, t: TFunction<'common'>, isReading = false): string {
  if (!(error instanceof ApiError)) return t('error.network')
  const { status, code, attempt, retryAfter } = error
  if (status === 429 && retryAfter && retryAfter <= LONG_WAIT_S)
    return t('error.tooManyTries', { seconds: retryAfter })
  // The server does not know whether the call can be repeated.
  if (code === 'outcome_unknown' && attempt === 'keyed') return t('error.repeatable')
  if (error.message) return error.message
  // Nothing came, or something between here and the server answered in its place.
  if (attempt && !isReading && (status === 0 || status >= 500))
    return t(attempt === 'keyed' ? 'error.repeatable' : 'error.unanswered')
  return t(error.code === 'timeout' ? 'error.timeout' : 'error.network')
}
