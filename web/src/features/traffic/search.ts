import { searchDay, searchMonth, searchNumber, searchOf, searchOneOf } from '@/lib/search-part'
import { rangeNames } from './ranges'

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
