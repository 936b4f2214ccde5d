import type { TrafficTimeAxisResponse } from '@/lib/api/gen/types.gen'
import { calendarDay } from '@/lib/time'

const DAY_MS = 86_400_000
export const DAYS_SHOWN = 30

/** `day` as calendarDay gives it. */
export type DayTraffic = { day: number; up: number; down: number }

/** The last 30 days of the site's calendar, today last. */
export function lastCalendarDays(now: number, zone: string): number[] {
  const today = calendarDay(now, zone)
  return Array.from({ length: DAYS_SHOWN }, (_, index) => today - (DAYS_SHOWN - 1 - index) * DAY_MS)
}

/**
 * One entry for each of the last 30 days, oldest first; the server leaves out days without traffic. Days from before
 * `since`, the sign-up, are no entries, unless there is traffic on or before them.
 */
export function lastDays(
  points: TrafficTimeAxisResponse,
  now: number,
  zone: string,
  since?: string,
): DayTraffic[] {
  const times = points.map((point) => ({ ...point, day: calendarDay(point.timestamp_ms, zone) }))
  const signUp = since === undefined ? -Infinity : calendarDay(Date.parse(since), zone)
  const first = Math.min(signUp, ...times.map(({ day }) => day))
  const days = lastCalendarDays(now, zone)
    .filter((day) => day >= first)
    .map((day) => ({ day, up: 0, down: 0 }))
  const byDay = new Map(days.map((entry) => [entry.day, entry]))
  for (const point of times) {
    const day = byDay.get(point.day)
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
