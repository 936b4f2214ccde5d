import type { TimeAxisPoint } from '@/lib/api/gen/types.gen'
import { calendarDay } from '@/lib/time'
import { type Range, ranges } from './ranges'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** More days than this are drawn by month: as days they would be one coloured band. */
const MOST_DAYS = 400

/** An hour, or a day as calendarDay gives it: of a month its first one. */
export type Bucket = { time: number; up: number; down: number; billed: number }

/** By what the buckets of a range are. */
export function kindOf(buckets: readonly Bucket[], range: Range): 'hour' | 'day' | 'month' {
  const [first, second] = buckets
  return first && second && second.time - first.time > DAY_MS ? 'month' : ranges[range].bucket
}

/**
 * One entry for each hour or day of a range, or for each month of several years, the oldest first, the present one
 * last; the server leaves out empty ones.
 */
export function bucketsOf(
  points: readonly TimeAxisPoint[],
  range: Range,
  now: number,
  zone: string,
): Bucket[] {
  const { bucket, hours } = ranges[range]
  const step = bucket === 'hour' ? HOUR_MS : DAY_MS
  const at = (time: number) =>
    bucket === 'hour' ? Math.floor(time / HOUR_MS) * HOUR_MS : calendarDay(time, zone)
  const last = at(now)
  const earliest = Math.min(last, ...points.map(({ timestamp_ms: time }) => at(time)))
  const first = hours === undefined ? earliest : last - hours * HOUR_MS + step
  const count = Math.round((last - first) / step) + 1
  const buckets = Array.from({ length: count }, (_, index) => ({
    time: first + index * step,
    up: 0,
    down: 0,
    billed: 0,
  }))
  for (const point of points) {
    const found = buckets[Math.round((at(point.timestamp_ms) - first) / step)]
    if (!found) continue
    found.up += point.ss_tx_size
    found.down += point.ss_rx_size
    found.billed += point.effective_traffic
  }
  return count > MOST_DAYS ? byMonth(buckets) : buckets
}

function byMonth(days: readonly Bucket[]): Bucket[] {
  const months: Bucket[] = []
  for (const { time, up, down, billed } of days) {
    const day = new Date(time)
    const begins = Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1)
    const last = months.at(-1)
    if (last?.time === begins) {
      last.up += up
      last.down += down
      last.billed += billed
    } else {
      months.push({ time: begins, up, down, billed })
    }
  }
  return months
}

export function totalOf(buckets: readonly Bucket[]): Omit<Bucket, 'time'> {
  return buckets.reduce(
    (sum, { up, down, billed }) => ({
      up: sum.up + up,
      down: sum.down + down,
      billed: sum.billed + billed,
    }),
    { up: 0, down: 0, billed: 0 },
  )
}
