import { beforeEach, describe, expect, it, vi } from 'vitest'
import { scrollToTop } from './scroll'

const positions: number[] = []

beforeEach(() => {
  vi.useFakeTimers()
  positions.length = 0
  vi.spyOn(window, 'scrollY', 'get').mockReturnValue(1_000)
  vi.spyOn(window, 'scrollTo').mockImplementation((_x, y: number) => {
    positions.push(y)
  })
})

describe('scrolling to the top', () => {
  it('takes 300 ms', async () => {
    scrollToTop()
    await vi.advanceTimersByTimeAsync(150)
    expect(positions.at(-1)).toBeGreaterThan(0)
    expect(positions.at(-1)).toBeLessThan(1_000)
    await vi.advanceTimersByTimeAsync(200)
    expect(positions.at(-1)).toBe(0)
    const steps = positions.length
    await vi.advanceTimersByTimeAsync(300)
    expect(positions).toHaveLength(steps)
  })

  it('takes no time for those who want less motion', async () => {
    vi.spyOn(window, 'matchMedia').mockReturnValue({ matches: true } as MediaQueryList)
    scrollToTop()
    await vi.advanceTimersByTimeAsync(20)
    expect(positions).toEqual([0])
  })
})
