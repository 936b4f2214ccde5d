const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

// All times are shown in the viewer's zone, which is what Intl and Date take where none is named.

const SAME_YEAR_MS = 300 * DAY_MS

/** "Feb 26"; with the year where one could take it for another. */
export function formatDate(time: string | number, language: string): string {
  const date = new Date(time)
  const isNear = Math.abs(date.getTime() - Date.now()) < SAME_YEAR_MS
  const parts = { month: 'short', day: 'numeric' } as const
  return new Intl.DateTimeFormat(language, isNear ? parts : { ...parts, year: 'numeric' }).format(
    date,
  )
}

/** "Feb 26, 2027": where money is agreed to for that long. */
export const formatFullDate = (time: string | number, language: string) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(new Date(time))

/** "Feb 26, 2027, 16:05": hours to 23 in every language, which columns of tables have room for. */
export const formatDateTime = (time: string | number, language: string) =>
  new Intl.DateTimeFormat(language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
  }).format(new Date(time))

/**
 * The day that a time falls on in a zone, as the midnight of that date in UTC: days can be counted and drawn with it
 * whatever the zone does with its clocks.
 */
export function calendarDay(time: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, dateStyle: 'short' }).formatToParts(
    time,
  )
  const part = (type: string) => Number(parts.find((found) => found.type === type)?.value)
  return Date.UTC(2000 + part('year'), part('month') - 1, part('day'))
}

/** "Nov 20" of a calendarDay. */
export const formatCalendarDay = (day: number, language: string) =>
  new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(day)

/** "11/20" of a calendarDay: for the axis of a chart. */
export const formatTick = (day: number, language: string) =>
  new Intl.DateTimeFormat(language, { month: 'numeric', day: 'numeric', timeZone: 'UTC' }).format(
    day,
  )

/** With the zone's name: what a tooltip says. */
export const formatExactly = (time: string, language: string) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'long' }).format(new Date(time))

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

/** "29:05" for a time left in milliseconds. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  const rest = String(seconds % 60).padStart(2, '0')
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${rest}`
}
