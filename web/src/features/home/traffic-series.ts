import type { TrafficTimeAxisResponse } from '@/api/gen/types.gen'

const DAY_MS = 86_400_000
export const DAYS_SHOWN = 30

export type DayTraffic = { time: number; up: number; down: number }

/** One entry for each of the last 30 days (UTC, as the server counts them), oldest first; days without traffic are 0. */
export function lastDays(points: TrafficTimeAxisResponse, now: number): DayTraffic[] {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const days = Array.from({ length: DAYS_SHOWN }, (_, index) => ({
    time: today - (DAYS_SHOWN - 1 - index) * DAY_MS,
    up: 0,
    down: 0,
  }))
  const first = days[0]?.time ?? today
  for (const point of points) {
    const day = days[Math.floor((point.timestamp_ms - first) / DAY_MS)]
    if (!day) continue
    day.up += point.ss_tx_size
    day.down += point.ss_rx_size
  }
  return days
}

export function totalOf(days: readonly DayTraffic[]): { up: number; down: number } {
  return days.reduce((sum, day) => ({ up: sum.up + day.up, down: sum.down + day.down }), {
    up: 0,
    down: 0,
  })
}
