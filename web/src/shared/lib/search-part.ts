// Parts of an address's search, as the open pages read them: a schema library would be most of what they load.

/** A text, or undefined. */
export const searchText = (part: unknown): string | undefined =>
  typeof part === 'string' ? part : undefined

/** The one of these that it is, or undefined. */
export const searchOneOf = <T extends string>(known: readonly T[], part: unknown): T | undefined =>
  known.find((one) => one === part)
