/** What can be chosen. It is found by its label, its value, and by `also`: other words for it. */
export type Option = { value: string; label: string; also?: string }

/** From so many options on there is a field to find them by. */
export const MANY = 12

/** The options that have all the typed words in what they are found by. */
export function foundIn(options: readonly Option[], typed: string): readonly Option[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return options.filter(({ value, label, also }) => {
    const text = `${label} ${value} ${also ?? ''}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
