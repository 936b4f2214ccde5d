import { describe, expect, it } from 'vitest'
import { amountProblem, monthName, monthsSince, normalAmount, pagesOf, pollMs } from './model'

describe('a typed amount', () => {
  it.each([
    ['', 'empty'],
    ['abc', 'places'],
    ['1.234', 'places'],
    ['-5', 'places'],
    ['0.99', 'low'],
    ['1000.01', 'high'],
    ['1', undefined],
    [' 12.5 ', undefined],
    ['1000.00', undefined],
  ])('of "%s"', (typed, problem) => {
    expect(amountProblem(typed, '1.00', '1000.00')).toBe(problem)
  })

  it('is sent with two places', () => {
    expect(normalAmount('12.5')).toBe('12.50')
    expect(normalAmount('7')).toBe('7.00')
  })
})

it('always has a first page', () => {
  expect(pagesOf(0)).toBe(1)
  expect(pagesOf(15)).toBe(1)
  expect(pagesOf(16)).toBe(2)
})

it('looks every two seconds at first, and less and less while nothing happens', () => {
  expect(pollMs(1)).toBe(2000)
  expect(pollMs(15)).toBe(2000)
  expect(pollMs(17)).toBe(3125)
  expect(pollMs(1000)).toBe(15_000)
})

it('counts months in the calendar of the site, over the turn of the year', () => {
  const now = Date.parse('2026-01-31T17:00:00Z') // February there
  expect(monthsSince('2025-11-30T15:00:00Z', now, 'Asia/Shanghai')).toEqual([
    '2026-02',
    '2026-01',
    '2025-12',
    '2025-11',
  ])
  expect(monthsSince('2026-01-31T17:00:00Z', now, 'Asia/Shanghai')).toEqual(['2026-02'])
  expect(monthName('2026-02', 'en')).toBe('February 2026')
})
