import { expect, it } from 'vitest'
import { byteScale } from './byte-scale'

const GB = 1024 ** 3

it.each([
  [6.9 * GB, 2 * GB, 8 * GB],
  [15.7 * GB, 5 * GB, 20 * GB],
  [0, 1024, 1024],
  [1000 * GB, 200 * GB, 1000 * GB],
  [2 * 1024 * GB, 1024 * GB, 2048 * GB],
])('of %d', (largest, interval, max) => {
  expect(byteScale(largest)).toEqual({ interval, max })
})
