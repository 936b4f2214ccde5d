import type { TrafficTimeAxisResponse } from '@/api/gen/types.gen'
import { calendarDay } from '@/shared/lib/time'

const DAY_MS = 86_400_000
export const DAYS_SHOWN = 30

/** `day` as calendarDay gives it. */
export type DayTraffic = { day: number; up: number; down: number }

/** One entry for each of the last 30 days of the site's calendar, oldest first; the server leaves out empty days. */
export function lastDays(points: TrafficTimeAxisResponse, now: number, zone: string): DayTraffic[] {
  const first = calendarDay(now, zone) - (DAYS_SHOWN - 1) * DAY_MS
  const days = Array.from({ length: DAYS_SHOWN }, (_, index) => ({
    day: first + index * DAY_MS,
    up: 0,
    down: 0,
  }))
  for (const point of points) {
    const day = days[(calendarDay(point.timestamp_ms, zone) - first) / DAY_MS]
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
