import type { Field } from './field'
import type { Option } from './option'

/** Numbers with commas or spaces between them. */
export const numbers = /^\d+([\s,，]+\d+)*$/

type Words = { label: string; hint: string }

/** A field for several of the options, or for their numbers where the member cannot read the options. */
export const choicesOrNumbers = (
  name: string,
  options: readonly Option[] | undefined,
  words: { choices: Words; numbers: Words },
  pattern = numbers,
): Field =>
  options
    ? { name, kind: 'choices', options, ...words.choices }
    : { name, kind: 'text', rules: { pattern }, ...words.numbers }
