import { ApiError } from '@/lib/api/errors'
import { toast } from '@/ui/toast'

const CLOSE_AFTER_MS = 10_000

/** Whether a call was carried out by an earlier try whose answer was lost: nothing is left to do but to look at it. */
export const wasReceived = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'already_received'

/** Says so in the server's words, where the dialog or text that asked for it is gone. */
export const sayReceived = (error: ApiError) => void toast('success', error.message, CLOSE_AFTER_MS)
