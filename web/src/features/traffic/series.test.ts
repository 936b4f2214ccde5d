import { describe, expect, it } from 'vitest'
import type { TimeAxisPoint } from '@/lib/api/gen/types.gen'
import { bucketsOf, kindOf, totalOf } from './series'
import { beginOf } from './ranges'

const now = Date.parse('2026-11-23T16:20:00Z') // 00:20 on the 24th in Shanghai

const point = (at: string, up: number, down: number): TimeAxisPoint => ({
  user_id: 1,
  data_time_range_lower: at,
  ss_tx_size: up,
  ss_rx_size: down,
  total_traffic: up + down,
  effective_traffic: 2 * (up + down),
  traffic_gb: 0,
  timestamp_ms: Date.parse(at),
})

describe('the buckets of a range', () => {
  it('are all hours of a day, the present one last', () => {
    const hours = bucketsOf([point('2026-11-23T15:00:00Z', 1, 2)], '24h', now, 'Asia/Shanghai')
    expect(hours).toHaveLength(24)
    expect(hours.at(-1)).toEqual({
      time: Date.parse('2026-11-23T16:00:00Z'),
      up: 0,
      down: 0,
      billed: 0,
    })
    expect(hours.at(-2)).toMatchObject({ up: 1, down: 2, billed: 6 })
    expect(beginOf('24h', now)).toBe('2026-11-22T17:00:00.000Z')
    expect(hours[0]?.time).toBe(Date.parse('2026-11-22T17:00:00Z'))
  })

  it('are days of the zone of the site', () => {
    const points = [point('2026-11-22T16:00:00Z', 1, 1), point('2026-11-23T16:00:00Z', 5, 5)]
    const days = bucketsOf(points, '30d', now, 'Asia/Shanghai')
    expect(days).toHaveLength(30)
    expect(days.slice(-2).map(({ time, up }) => [new Date(time).toISOString(), up])).toEqual([
      ['2026-11-23T00:00:00.000Z', 1],
      ['2026-11-24T00:00:00.000Z', 5],
    ])
  })

  it('begin with the first traffic where all is asked for', () => {
    const points = [point('2026-09-23T16:00:00Z', 1, 1), point('2026-11-23T16:00:00Z', 5, 5)]
    const days = bucketsOf(points, 'all', now, 'Asia/Shanghai')
    expect(days).toHaveLength(62)
    expect(kindOf(days, 'all')).toBe('day')
    expect(totalOf(days)).toEqual({ up: 6, down: 6, billed: 24 })
    const none = bucketsOf([], 'all', now, 'UTC')
    expect(none).toHaveLength(1)
    expect(kindOf(none, 'all')).toBe('day')
  })

  it('are months where all is several years', () => {
    const points = [
      point('2023-11-23T16:00:00Z', 1, 1),
      point('2026-10-31T15:00:00Z', 2, 2), // the last hour of October in Shanghai
      point('2026-11-23T16:00:00Z', 5, 5),
    ]
    const months = bucketsOf(points, 'all', now, 'Asia/Shanghai')
    expect(months).toHaveLength(37)
    expect(kindOf(months, 'all')).toBe('month')
    expect(months.slice(-2).map(({ time, up }) => [new Date(time).toISOString(), up])).toEqual([
      ['2026-10-01T00:00:00.000Z', 2],
      ['2026-11-01T00:00:00.000Z', 5],
    ])
    expect(totalOf(months)).toEqual({ up: 8, down: 8, billed: 32 })
  })
})
