import { afterEach, describe, expect, it, vi } from 'vitest'
import { withRefreshLock } from './refresh-lock'

afterEach(() => vi.unstubAllGlobals())

const LOCK = 'refresh_lock'

describe('where the browser has locks', () => {
  it('leaves the order to them', async () => {
    const request = vi.fn((_name: string, work: () => Promise<string>) => work())
    vi.stubGlobal('navigator', { locks: { request } })
    expect(await withRefreshLock(async () => 'done')).toBe('done')
    expect(request).toHaveBeenCalledWith(LOCK, expect.any(Function))
  })
})

describe('without locks', () => {
  it('lets one work after the other', async () => {
    vi.useFakeTimers()
    vi.stubGlobal('navigator', {})
    const events: string[] = []
    const work = (name: string) => async () => {
      events.push(`${name} begins`)
      await new Promise((resolve) => setTimeout(resolve, 500))
      events.push(`${name} ends`)
    }
    const all = Promise.all([withRefreshLock(work('a')), withRefreshLock(work('b'))])
    await vi.advanceTimersByTimeAsync(3_000)
    await all
    expect(events.map((event) => event.slice(2))).toEqual(['begins', 'ends', 'begins', 'ends'])
    expect(localStorage.getItem(LOCK)).toBeNull()
  })

  it('waits for a lease to run out whose tab was closed', async () => {
    vi.useFakeTimers()
    vi.stubGlobal('navigator', {})
    localStorage.setItem(LOCK, `${Date.now() + 10_000} 0.5`)
    const work = vi.fn(async () => undefined)
    const done = withRefreshLock(work)
    await vi.advanceTimersByTimeAsync(9_900)
    expect(work).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(300)
    await done
    expect(work).toHaveBeenCalledOnce()
  })

  it('leaves the lease of a tab that took over', async () => {
    vi.useFakeTimers()
    vi.stubGlobal('navigator', {})
    const done = withRefreshLock(async () => localStorage.setItem(LOCK, 'theirs'))
    await vi.advanceTimersByTimeAsync(200)
    await done
    expect(localStorage.getItem(LOCK)).toBe('theirs')
  })

  it('looks again when another tab wrote at the same moment', async () => {
    vi.useFakeTimers()
    vi.stubGlobal('navigator', {})
    const work = vi.fn(async () => undefined)
    const done = withRefreshLock(work)
    localStorage.setItem(LOCK, `${Date.now() + 300} 0.5`)
    await vi.advanceTimersByTimeAsync(200)
    expect(work).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(400)
    await done
    expect(work).toHaveBeenCalledOnce()
  })
})
