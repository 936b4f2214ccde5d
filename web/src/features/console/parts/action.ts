import type { LucideIcon } from 'lucide-react'
import type { Field } from './field'

/** What fields of a dialog hold: texts, numbers as texts, and switches. */
export type Values = Record<string, string | boolean>

/**
 * How much is asked before something is done. U: done at once, and can be taken back for ten seconds. C: the dialog names
 * object and effect. R: it asks for a reason besides. T: and for the typed name.
 */
export type Danger = 'U' | 'C' | 'R' | 'T'

/** Something that a member of staff may do with an object. */
export type Action<S> = {
  key: string
  /** A verb: what the button says. */
  title: string
  icon?: LucideIcon
  permission: string
  danger: Danger
  /** It leads to another page and changes nothing: nothing is said of it. */
  leads?: boolean
  /** Absent: always. */
  isShown?: (subject: S) => boolean
  /** What is to be filled in; `reason` is added where the danger asks for it. */
  fields?: (subject: S) => readonly Field[]
  /** One sentence: what happens to whom. */
  effect: (subject: S, values: Values) => string
  /** What is to be typed, for T. */
  typed?: (subject: S) => string
  run: (subject: S, values: Values) => Promise<unknown>
  /** The inverse change, for U. `made` is what `run` gave: the version to change, where the object has versions. */
  undo?: (subject: S, values: Values, made: unknown) => Promise<unknown>
  /** Said when it is done. */
  done: (subject: S) => string
}
