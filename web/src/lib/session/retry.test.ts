import { describe, expect, it, vi } from 'vitest'
import { ApiError } from '@/lib/api/errors'
import { retry } from './retry'

const busy = new ApiError('busy', { status: 503, code: 'unavailable' })
const refused = new ApiError('revoked', { status: 401, code: 'unauthorized' })

describe('a call made retry', () => {
  it('is tried three times when the reason passes', async () => {
    vi.useFakeTimers()
    const call = vi.fn<() => Promise<string>>()
    call.mockRejectedValueOnce(busy).mockRejectedValueOnce(busy).mockResolvedValue('done')
    const done = retry(call)
    await vi.advanceTimersByTimeAsync(4_000)
    expect(await done).toBe('done')
    expect(call).toHaveBeenCalledTimes(3)
  })

  it.each([refused, new Error('bug')])('is not repeated after %s', async (error) => {
    const call = vi.fn<() => Promise<string>>().mockRejectedValue(error)
    await expect(retry(call)).rejects.toBe(error)
    expect(call).toHaveBeenCalledOnce()
  })
})
