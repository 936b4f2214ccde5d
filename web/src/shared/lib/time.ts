const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The zone that all times are shown in. */
const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone

export const formatDate = (time: string | number, language: string) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone }).format(new Date(time))

export const formatDateTime = (time: string | number, language: string) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(
    new Date(time),
  )

/** "11/20": for the axis of a chart. */
export const formatDay = (time: number, language: string) =>
  new Intl.DateTimeFormat(language, { month: 'numeric', day: 'numeric', timeZone }).format(time)

/** With the zone's name: what a tooltip says. */
export const formatExactly = (time: string, language: string) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'long', timeZone }).format(
    new Date(time),
  )

/** Days left until a time, begun ones counted, never below 0. */
export const daysUntil = (time: string, now: number) =>
  Math.max(0, Math.ceil((Date.parse(time) - now) / DAY_MS))

/** Whole hours left until a time, never below 0. */
export const hoursUntil = (time: string, now: number) =>
  Math.max(0, Math.floor((Date.parse(time) - now) / HOUR_MS))

/** "29:05" for a time left in milliseconds. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  const rest = String(seconds % 60).padStart(2, '0')
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${rest}`
}
