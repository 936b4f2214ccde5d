import { describe, expect, it } from 'vitest'
import { amountProblem, normalAmount, pagesOf } from './model'

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
