const HOUR_MS = 3_600_000

/** What the chips choose: how far the chart goes back, and by what. */
export const ranges = {
  '24h': { bucket: 'hour', hours: 24 },
  '7d': { bucket: 'hour', hours: 7 * 24 },
  '30d': { bucket: 'day', hours: 30 * 24 },
  '90d': { bucket: 'day', hours: 90 * 24 },
  '1y': { bucket: 'day', hours: 365 * 24 },
  all: { bucket: 'day', hours: undefined },
} as const

export type Range = keyof typeof ranges
export const rangeNames = Object.keys(ranges) as Range[]
export const DEFAULT_RANGE: Range = '30d'

/** When a range begins; it moves with the hours, so that the same address asks the server the same for a while. */
export function beginOf(range: Range, now: number): string {
  const { hours } = ranges[range]
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS
  // All by hours counts the one that has begun; days that begin after `from` count the present one anyway.
  const from = hours === undefined ? 0 : hour - (hours - (hours < DAYS_FROM ? 1 : 0)) * HOUR_MS
  return new Date(Math.max(from, FIRST)).toISOString()
}

const DAYS_FROM = 30 * 24
const FIRST = Date.UTC(2000, 0, 1)
