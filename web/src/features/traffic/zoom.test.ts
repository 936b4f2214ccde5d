import { expect, it } from 'vitest'
import { zoomed } from './zoom'

it.each([
  [0, 100, 0.5, 50, 100],
  [50, 100, 2, 0, 100],
  [0, 20, 0.5, 10, 20],
  [0, 20, 2, 0, 40],
  [98, 100, 0.5, 98, 100],
])('from %d to %d by %d', (start, end, factor, from, to) => {
  expect(zoomed({ start, end }, factor)).toEqual({ start: from, end: to })
})
