/** A field of a form or of an action's dialog. */
export type Field = {
  name: string
  label: string
  hint?: string
  kind:
    | 'text'
    | 'textarea'
    | 'markdown'
    | 'number'
    | 'money'
    | 'choice'
    | 'switch'
    | 'datetime'
    /** Several texts, one per line. */
    | 'lines'
    /** Written and never read: empty leaves it as it is. */
    | 'secret'
  options?: readonly { value: string; label: string }[]
  initial?: string | boolean
  isRequired?: boolean
  /** As the contract has them, `gen/staff/rules.gen.ts`. */
  rules?: { minLength?: number; maxLength?: number; pattern?: RegExp }
}
