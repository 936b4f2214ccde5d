import { searchNumber, searchOf, searchOneOf, searchText } from '@/lib/search-part'
import { rangeNames } from './ranges'

const searchDay = (part: unknown): string | undefined => {
  const text = searchText(part)
  return text && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
    ? text
    : undefined
}

const searchMonth = (part: unknown): string | undefined => {
  const text = searchText(part)
  return text && /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? text : undefined
}

/** What the address of the charts says. */
export const chartSearch = searchOf({
  range: (part) => searchOneOf(rangeNames, part),
  node: searchNumber,
  month: searchMonth,
  /** The day of the calendar whose table is open. */
  day: searchDay,
})

/** What the address of the rows says. */
export const detailSearch = searchOf({ day: searchDay, node: searchNumber })
