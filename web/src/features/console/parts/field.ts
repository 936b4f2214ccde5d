import type { ReactNode } from 'react'
import type { Option } from './option'

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
    /** Several of the options, as their values with commas between them. */
    | 'choices'
    | 'switch'
    | 'datetime'
    /** Several texts, one per line. */
    | 'lines'
    /** Written and never read: empty leaves it as it is. */
    | 'secret'
    /** Seen and not changed. */
    | 'shown'
  /** Of a secret: it has several lines, such as a key in PEM. */
  isLong?: boolean
  options?: readonly Option[]
  initial?: string | boolean
  isRequired?: boolean
  /** As the contract has them, `gen/staff/rules.gen.ts`. */
  /** Below its input, such as what gives it another value. */
  foot?: (set: (value: string | boolean) => void) => ReactNode
  rules?: { minLength?: number; maxLength?: number; pattern?: RegExp }
}
