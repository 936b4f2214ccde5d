import { ApiError } from '@/lib/api/errors'
import { toast } from '@/ui/toast'

const CLOSE_AFTER_MS = 10_000

/** Whether the server received a call before, in an earlier try whose answer was lost: what came of it is to be looked at. */
export const wasReceived = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'already_received'

/** Shows what the server says of such a call, where the dialog or text that asked for it goes; false for other errors. */
export function sayReceived(error: unknown): boolean {
  if (!wasReceived(error)) return false
  void toast('success', error.message, CLOSE_AFTER_MS)
  return true
}

/** Runs what makes a secret; `onLost` is called where an earlier try was received, whose answer had the secret. */
export async function orLost<T>(call: Promise<T>, onLost: () => void): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (wasReceived(error)) onLost()
    throw error
  }
}
