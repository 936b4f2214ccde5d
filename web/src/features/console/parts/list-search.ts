import { useNavigate, useSearch } from '@tanstack/react-router'

/** What a list is narrowed and sorted by, as the address has it. Numbers stay numbers, so that the address needs no quotes. */
export type ListSearch = Record<string, string | number | boolean | undefined>

const MAX_LENGTH = 500

/**
 * `validateSearch` of every list: keeps the plain parts of the address, whichever filters the list has. Its type does not name them,
 * since they would else be a part of that of every link.
 */
export const listSearch = (search: Record<string, unknown>): { view?: string } =>
  Object.fromEntries(
    Object.entries(search).filter(
      (part): part is [string, string | number | boolean] =>
        ['string', 'number', 'boolean'].includes(typeof part[1]) &&
        String(part[1]).length <= MAX_LENGTH,
    ),
  )

/** A text as the router writes it without quotes. */
const partOf = (text: string): string | number | boolean => {
  if (text === 'true' || text === 'false') return text === 'true'
  return String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text
}

/** The parts of the address as texts. */
export const textsOf = (search: ListSearch): Record<string, string> =>
  Object.fromEntries(
    Object.entries(search).flatMap(([key, part]) =>
      part === undefined || part === '' ? [] : [[key, String(part)]],
    ),
  )

/** Parts of the address that say how a list is shown: by which view, with which columns, how wide and high these are. */
const lookParts = ['view', 'columns', 'widths', 'rows'] as const

export type LookParts = Partial<Record<(typeof lookParts)[number], string>>

const isOfLook = (key: string) => (lookParts as readonly string[]).includes(key)

const partsWhere = (search: ListSearch, isKept: (key: string) => boolean) =>
  Object.fromEntries(Object.entries(textsOf(search)).filter(([key]) => isKept(key)))

/** Texts of an address as the router takes them. */
export const addressOf = (texts: Record<string, string>): ListSearch =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, partOf(text)]))

/**
 * Reads the address without what says how a list is shown, and changes it: the address is the only state. What of it narrows a
 * list says `narrowingOf`.
 */
export function useListSearch() {
  const all: ListSearch = useSearch({ strict: false })
  const search = partsWhere(all, (key) => !isOfLook(key))
  const look: LookParts = partsWhere(all, isOfLook)
  const navigate = useNavigate()
  const change = (parts: Record<string, string | undefined>, how: { replace?: boolean } = {}) =>
    void navigate({
      to: '.',
      search: ((now: ListSearch) => ({
        ...now,
        ...Object.fromEntries(
          Object.entries(parts).map(([key, text]) => [key, text ? partOf(text) : undefined]),
        ),
      })) as never,
      replace: how.replace ?? false,
      resetScroll: false,
    })
  return { search, look, change }
}
