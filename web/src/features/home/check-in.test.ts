import { describe, expect, it } from 'vitest'
import { addMonths, weeksOf } from './check-in'
import { streakOf } from './streak'

describe('the streak', () => {
  it.each([
    [0, 'open', 0, 7],
    [3, 'open', 3, 4],
    [6, 'open', 6, 1],
    [7, 'done', 7, 7],
    [7, 'open', 0, 7],
    [8, 'done', 1, 6],
  ] as const)('of %i days, %s, fills %i and needs %i more', (streak, state, filled, left) => {
    expect(streakOf({ streak, bonus_streak: 7, state })).toEqual({ filled, left })
  })
})

describe('the calendar', () => {
  it('has whole weeks, from Monday or Sunday on', () => {
    const days = [{ date: '2026-11-10', bytes: 1, streak: 1 }]
    const monday = weeksOf('2026-11', days, 1)
    expect(monday).toHaveLength(6)
    expect(monday[0]?.map((cell) => cell?.day)).toEqual([...Array(6).fill(undefined), 1])
    expect(monday[5]?.[0]?.date).toBe('2026-11-30')
    expect(monday.flat().find((cell) => cell?.checkedIn)?.date).toBe('2026-11-10')
    expect(weeksOf('2026-11', [], 0)).toHaveLength(5)
    expect(weeksOf('2028-02', [], 0).flat().filter(Boolean)).toHaveLength(29)
  })

  it('turns the year', () => {
    expect(addMonths('2026-12', 1)).toBe('2027-01')
    expect(addMonths('2026-01', -1)).toBe('2025-12')
  })
})
