import type { Option } from './option'

/** One thing that a list is narrowed by; `key` is its part of the address and the server's name of it. */
export type Filter = { key: string; title: string } & (
  | ChoiceFilter
  /** How a value begins, of which these are known: undefined until `onOpen` has loaded them. */
  | { kind: 'known'; options: readonly Option[] | undefined; onOpen: () => void }
  /** From and to, both ends counted; either may be open. */
  | { kind: 'range' | 'date' }
  /** A text or the id of another object. */
  | { kind: 'text' | 'reference' }
)

/** `onOpen` loads the options of a filter that has none at first. */
type ChoiceFilter = {
  kind: 'choice'
  options: readonly Option[]
  isSingle?: boolean
  onOpen?: () => void
}

export type KnownFilter = Extract<Filter, { kind: 'known' }>

/** `2..5` in its ends. */
export function endsOf(value: string): [string, string] {
  const [from = '', to] = value.split('..')
  return [from, to ?? from]
}

export const rangeOf = (from: string, to: string): string | undefined =>
  from || to ? `${from}..${to}` : undefined

/** `!2,3` in whether it is negated and its values. */
export function choicesOf(value: string): { isNot: boolean; values: string[] } {
  const isNot = value.startsWith('!')
  return { isNot, values: (isNot ? value.slice(1) : value).split(',').filter(Boolean) }
}

export function choiceText(values: readonly string[], isNot: boolean): string | undefined {
  return values.length > 0 ? `${isNot ? '!' : ''}${values.join(',')}` : undefined
}

/** What a chip says of a filter's value. */
export function wordsOf(filter: Filter, value: string): string {
  if (filter.kind === 'choice') {
    const { isNot, values } = choicesOf(value)
    const labels = values.map(
      (one) => filter.options.find((option) => option.value === one)?.label ?? one,
    )
    return `${isNot ? '≠ ' : ''}${labels.join(', ')}`
  }
  if (filter.kind === 'known')
    return filter.options?.find((option) => option.value === value)?.label ?? value
  if (filter.kind === 'range' || filter.kind === 'date') {
    const [from, to] = endsOf(value)
    if (from === to) return from
    if (!from) return `≤ ${to}`
    return to ? `${from} – ${to}` : `≥ ${from}`
  }
  return value
}
