import { ApiError } from '@/lib/api/errors'

const PAUSES_MS = [1_000, 3_000]

/** Repeats a call that failed for a passing reason (no answer, busy, server error), so that a blip signs nobody out. */
export async function retry<T>(call: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ApiError && error.isPassing)) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
  return call()
}
