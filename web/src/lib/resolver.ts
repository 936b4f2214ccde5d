import type { FieldError, FieldErrors, FieldValues, Resolver } from 'react-hook-form'
import * as z from 'zod/mini'

/**
 * Checks a flat form by a schema and tells the first problem of each field. Written out here since the
 * usual package serves every version of every schema library.
 */
export function resolver<Form extends FieldValues>(
  schema: z.ZodMiniType<Form, FieldValues>,
): Resolver<Form> {
  return (values) => {
    const parsed = z.safeParse(schema, values)
    if (parsed.success) return { values: parsed.data, errors: {} }
    const errors: Record<string, FieldError> = {}
    for (const { path, code, message } of parsed.error.issues) {
      errors[path.join('.')] ??= { type: code, message }
    }
    return { values: {}, errors: errors as FieldErrors<Form> }
  }
}
