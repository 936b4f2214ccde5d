import type { SearchSchemaInput } from '@tanstack/react-router'

// Parts of an address's search, read by hand: every page loads all routes, and with them a schema library.

/** A text, or undefined. */
export const searchText = (part: unknown): string | undefined =>
  typeof part === 'string' ? part : undefined

/** The one of these that it is, or undefined. */
export const searchOneOf = <T extends string>(known: readonly T[], part: unknown): T | undefined =>
  known.find((one) => one === part)

/** A positive whole number, or undefined. */
export const searchNumber = (part: unknown): number | undefined =>
  Number.isSafeInteger(part) && (part as number) > 0 ? (part as number) : undefined

const searchDate = (pattern: RegExp) => (part: unknown) => {
  const text = searchText(part)
  return text && pattern.test(text) && Date.parse(text) > 0 ? text : undefined
}

/** A month as "2026-11", or undefined. */
export const searchMonth = searchDate(/^\d{4}-\d\d$/)

/** A day as "2026-11-29", or undefined. */
export const searchDay = searchDate(/^\d{4}-\d\d-\d\d$/)

/** The number of a page; the first where it is none. */
export const searchPage = (part: unknown): number => searchNumber(part) ?? 1

/** A switch, or undefined. */
export const searchFlag = (part: unknown): boolean | undefined =>
  typeof part === 'boolean' ? part : undefined

/** Reads an address's search part by part, for a route; links to it need not name every part. */
export const searchOf =
  <P extends Record<string, (part: unknown) => unknown>>(parts: P) =>
  (
    search: { [K in keyof P]?: ReturnType<P[K]> } & SearchSchemaInput,
  ): { [K in keyof P]: ReturnType<P[K]> } =>
    Object.fromEntries(Object.entries(parts).map(([name, read]) => [name, read(search[name])])) as {
      [K in keyof P]: ReturnType<P[K]>
    }
