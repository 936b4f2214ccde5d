import { ApiError } from '@/lib/api/errors'

/** Puts a form's names in the place of the server's, so that each problem of a call stands at its field. */
export async function renameFields<T>(
  call: Promise<T>,
  nameOf: (field: string) => string,
): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof ApiError) || error.fields.length === 0) throw error
    throw new ApiError(error.message, {
      status: error.status,
      code: error.code,
      details: error.details,
      fields: error.fields.map((problem) => ({ ...problem, field: nameOf(problem.field) })),
    })
  }
}
