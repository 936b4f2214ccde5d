import { describe, expect, it } from 'vitest'
import { choicesOf, choiceText, endsOf, type Filter, rangeOf, wordsOf } from './filters'

describe('filters in the address', () => {
  it.each([
    ['5..9', ['5', '9']],
    ['5..', ['5', '']],
    ['..9', ['', '9']],
    ['7', ['7', '7']],
  ])('%s is a range', (value, ends) => {
    expect(endsOf(value)).toEqual(ends)
  })

  it('an open range keeps its dots, and no range is no part of the address', () => {
    expect(rangeOf('2026-01-01', '')).toBe('2026-01-01..')
    expect(rangeOf('', '9')).toBe('..9')
    expect(rangeOf('', '')).toBeUndefined()
  })

  it.each([
    ['2,3', { isNot: false, values: ['2', '3'] }],
    ['!2', { isNot: true, values: ['2'] }],
    ['none', { isNot: false, values: ['none'] }],
  ])('%s is a choice, and is written the same way', (value, choice) => {
    expect(choicesOf(value)).toEqual(choice)
    expect(choiceText(choice.values, choice.isNot)).toBe(value)
  })

  it('are said in words on their chips', () => {
    const state: Filter = {
      key: 'state',
      title: 'State',
      kind: 'choice',
      options: [{ value: 'paid', label: 'Paid' }],
    }
    const ends: Filter = { key: 'ends', title: 'Ends', kind: 'date' }
    expect(wordsOf(state, '!paid,gone')).toBe('≠ Paid, gone')
    expect(wordsOf(ends, '..2026-12-31')).toBe('≤ 2026-12-31')
    expect(wordsOf(ends, '2026-01-01..2026-12-31')).toBe('2026-01-01 – 2026-12-31')
  })
})
