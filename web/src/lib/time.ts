const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const SAME_YEAR_MS = 300 * DAY_MS

/** In the viewer's zone, where none is named. */
const format = (time: string | number, language: string, parts: Intl.DateTimeFormatOptions) =>
  new Date(time).toLocaleString(language, parts)

/** "Feb 26"; with the year where one could take it for another. */
export function formatDate(time: string | number, language: string): string {
  const isNear = Math.abs(new Date(time).getTime() - Date.now()) < SAME_YEAR_MS
  return format(time, language, {
    month: 'short',
    day: 'numeric',
    year: isNear ? undefined : 'numeric',
  })
}

/** "Feb 26, 2027": where money is agreed to for that long. */
export const formatFullDate = (time: string | number, language: string) =>
  format(time, language, { dateStyle: 'medium' })

/** "Feb 26, 2027, 16:05": hours to 23 in every language, which columns of tables have room for. */
export const formatDateTime = (time: string | number, language: string) =>
  format(time, language, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })

/**
 * The day that a time falls on in a zone, as the midnight of that date in UTC: days can be counted and drawn with it
 * whatever the zone does with its clocks.
 */
export const calendarDay = (time: number, zone: string): number =>
  // Swedish dates are those of ISO 8601.
  Date.parse(new Date(time).toLocaleDateString('sv', { timeZone: zone }))

/** "Nov 20" of a calendarDay. */
export const formatCalendarDay = (day: number, language: string) =>
  format(day, language, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** With the zone's name: what a tooltip says. */
export const formatExactly = (time: string, language: string) =>
  format(time, language, { dateStyle: 'long', timeStyle: 'long' })

/**
 * The last moment before an end. Where an end is shown as a date alone it is the date of this moment: what ends at
 * midnight can be used up to the day before.
 */
export const lastMoment = (end: string) => Date.parse(end) - 1

/** The beginning of the day that a time falls on for the viewer. */
export const startOfDay = (time: string | number) => new Date(time).setHours(0, 0, 0, 0)

/** How many days after today the date of a time is, never below 0. Days of 23 and 25 hours count as one. */
export const daysUntil = (time: string | number, now: number) =>
  Math.max(0, Math.round((startOfDay(time) - startOfDay(now)) / DAY_MS))

/** Whole hours left until a time, never below 0. */
export const hoursUntil = (time: string, now: number) =>
  Math.max(0, Math.floor((Date.parse(time) - now) / HOUR_MS))
