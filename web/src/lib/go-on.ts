import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form'

/** What the last digit of a code does: sends the form, or leads to the first of `others` that is still empty. */
export function goOn<T extends FieldValues>(
  form: UseFormReturn<T>,
  others: FieldPath<T>[],
  submit: () => Promise<void>,
): void {
  const empty = others.find((name) => !form.getValues(name))
  if (empty !== undefined) form.setFocus(empty)
  else void submit()
}
