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

/** A sentence for the user about any failure. */
export function problemText(error: unknown, t: TFunction<'common'>): string {
  if (error instanceof ApiError && error.code === 'timeout') return t('error.timeout')
  if (!(error instanceof ApiError) || error.status === 0) return t('error.network')
  if (error.status === 429 && error.retryAfter && error.retryAfter <= LONG_WAIT_S)
    return t('error.tooManyTries', { seconds: error.retryAfter })
  // Something between here and the server answered in its place.
  return error.message || t('error.network')
}
