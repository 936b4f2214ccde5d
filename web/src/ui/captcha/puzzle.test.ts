import { createHash, randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { solve } from './puzzle'

const hash = (index: number, challenge: string, solution: number) =>
  createHash('sha256').update(`${index}${challenge}${solution}`).digest('hex')

it.each([
  [0, 1],
  [7, 2],
  [79, 3],
  [999, 3],
])('finds the first solution of puzzle %i with %i zeros', (index, zeros) => {
  const challenge = randomUUID()
  const solution = solve({ challenge, index, zeros })
  const isSolved = (each: number) => hash(index, challenge, each).startsWith('0'.repeat(zeros))
  expect(isSolved(solution)).toBe(true)
  expect(Array.from({ length: solution }, (_, each) => each).some(isSolved)).toBe(false)
})
