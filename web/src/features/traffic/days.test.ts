import { describe, expect, it } from 'vitest'
import { boundsOfDay } from './days'
import { addMonths, weeksOf } from './calendar'

describe('the days of a zone', () => {
  it.each([
    ['2026-11-20', 'UTC', '2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
    ['2026-11-20', 'Asia/Shanghai', '2026-11-19T16:00:00.000Z', '2026-11-20T16:00:00.000Z'],
    ['2026-03-08', 'America/New_York', '2026-03-08T05:00:00.000Z', '2026-03-09T04:00:00.000Z'],
    ['2026-11-01', 'America/New_York', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
    ['2026-11-20', 'Asia/Kathmandu', '2026-11-19T18:15:00.000Z', '2026-11-20T18:15:00.000Z'],
    ['2026-01-01', 'Pacific/Kiritimati', '2025-12-31T10:00:00.000Z', '2026-01-01T10:00:00.000Z'],
  ])('%s in %s', (date, zone, from, to) => {
    expect(boundsOfDay(date, zone)).toEqual({ from, to })
  })
})

describe('the calendar of a month', () => {
  it('has whole weeks, with nothing of other months', () => {
    const weeks = weeksOf('2026-11', 1) // begins on a Sunday
    expect(weeks).toHaveLength(6)
    expect(weeks[0]).toEqual([...Array.from({ length: 6 }), Date.UTC(2026, 10, 1)])
    expect(weeks.flat().filter((day) => day !== undefined)).toHaveLength(30)
    expect(weeksOf('2026-02', 0)).toHaveLength(4)
  })

  it('goes on over years', () => {
    expect(addMonths('2026-12', 1)).toBe('2027-01')
    expect(addMonths('2026-01', -1)).toBe('2025-12')
  })
})
