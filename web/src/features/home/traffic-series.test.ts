import { expect, it } from 'vitest'
import type { TimeAxisPoint } from '@/lib/api/gen/types.gen'
import { DAYS_SHOWN, lastDays, totalOf } from './traffic-series'

const now = Date.parse('2026-11-20T02:00:00Z')
const point = (time: string, up: number, down: number) =>
  ({ timestamp_ms: Date.parse(time), ss_tx_size: up, ss_rx_size: down }) as TimeAxisPoint

it('has a day for each of the last 30, also for those without traffic', () => {
  const days = lastDays([point('2026-11-20T00:00:00Z', 1, 2)], now, 'UTC')
  expect(days).toHaveLength(DAYS_SHOWN)
  expect(days.at(-1)).toEqual({ day: Date.parse('2026-11-20T00:00:00Z'), up: 1, down: 2 })
  expect(days.at(0)).toEqual({ day: Date.parse('2026-10-22T00:00:00Z'), up: 0, down: 0 })
})

it('has no days from before the sign-up, unless something moved on them', () => {
  const since = '2026-11-18T17:00:00Z'
  const ofShanghai = lastDays([], now, 'Asia/Shanghai', since)
  expect(ofShanghai.map(({ day }) => new Date(day).getUTCDate())).toEqual([19, 20])
  const moved = lastDays([point('2026-11-16T00:00:00Z', 1, 2)], now, 'UTC', since)
  expect(moved.map(({ down }) => down)).toEqual([2, 0, 0, 0, 0])
})

it('counts days by the site’s calendar', () => {
  // Midnight of the 20th in Shanghai is still the 19th in UTC.
  const days = lastDays([point('2026-11-19T16:00:00Z', 1, 2)], now, 'Asia/Shanghai')
  expect(days.at(-1)).toEqual({ day: Date.parse('2026-11-20T00:00:00Z'), up: 1, down: 2 })
})

it('leaves out what is older and sums up the rest', () => {
  const points = [
    point('2026-10-01T00:00:00Z', 100, 100),
    point('2026-11-19T00:00:00Z', 1, 10),
    point('2026-11-20T00:00:00Z', 2, 20),
  ]
  expect(totalOf(lastDays(points, now, 'UTC'))).toEqual({ up: 3, down: 30 })
})
