import type { TimeAxisPoint } from '@/lib/api/gen/types.gen'
import { calendarDay } from '@/lib/time'
import { type Range, ranges } from './ranges'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** An hour, or a day as calendarDay gives it. */
export type Bucket = { time: number; up: number; down: number; billed: number }

/** One entry for each hour or day of a range, the oldest first, the present one last; the server leaves out empty ones. */
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
  return buckets
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
