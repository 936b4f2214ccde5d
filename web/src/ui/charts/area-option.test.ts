import { describe, expect, it } from 'vitest'
import { areaOption } from './area-option'

const DAY_MS = 86_400_000
const first = Date.parse('2026-11-20T00:00:00Z')
const days = [0, 1, 2].map((index) => first + index * DAY_MS)
const option = (values: (number | null)[][], unfinished?: string) =>
  areaOption(
    {
      label: 'Traffic',
      days,
      series: values.map((each, index) => ({ name: `s${index}`, values: each })),
      ...(unfinished === undefined ? {} : { unfinished }),
    },
    'en',
    'light',
  )
const lines = (values: (number | null)[][], unfinished?: string) =>
  option(values, unfinished).series.map(({ name, data, lineStyle }) => [name, lineStyle.type, data])

describe('the area chart', () => {
  it('draws finished days in one line', () => {
    expect(lines([[1, 0, 3]])).toEqual([['s0', 'solid', [1, 0, 3]]])
  })

  it('draws the unfinished day dashed, from the last finished one', () => {
    expect(lines([[1, 2, 3]], 'so far')).toEqual([
      ['s0', 'solid', [1, 2, null]],
      ['s0', 'dashed', [null, 2, 3]],
    ])
  })

  it('never falls to 0 for a day that has only begun', () => {
    expect(
      lines(
        [
          [1, 2, 0],
          [4, 5, 6],
        ],
        'so far',
      ),
    ).toEqual([
      ['s0', 'solid', [1, 2, null]],
      ['s1', 'solid', [4, 5, null]],
      ['s0', 'dashed', [null, 2, null]],
      ['s1', 'dashed', [null, 5, 6]],
    ])
  })

  it('shows a first day that is not over as a point', () => {
    const open = option([[null, null, 3]], 'so far').series.at(-1)
    expect(open).toMatchObject({ data: [null, null, 3], showSymbol: true })
  })

  it('names every figure once, and the day that is not over', () => {
    const { formatter } = option([[1, 2, 3]], 'so far').tooltip
    const at = (dataIndex: number) => (seriesName: string, value: number | null) => ({
      dataIndex,
      seriesName,
      value,
      marker: '* ',
    })
    const yesterday = [at(1)('s0', 2), at(1)('s0', 2), at(1)('s1', null)]
    expect(formatter(yesterday)).toBe('Nov 21\n* s0  2 B')
    expect(formatter([at(2)('s0', null), at(2)('s0', 3)])).toBe('Nov 22 (so far)\n* s0  3 B')
    expect(formatter([])).toBe('')
  })
})
