import { ApiError } from '@/lib/api/errors'
import { sendProving } from '@/lib/api/prove'

/** Refusals that follow from who the member is now, not from what they asked for. */
const codes: ReadonlySet<string> = new Set([
  'not_allowed',
  'staff_banned',
  'staff_network',
  'staff_two_factor_required',
])

const listeners = new Set<() => void>()

export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && codes.has(error.code)

/** Has `listener` hear of each call that the server refuses to this member. Returns its end. */
export function onRefusal(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Passes on what a call answers; a refusal is reported first, since the member's role may have changed. */
export async function noticeRefusal<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (failure) {
    if (isRefusal(failure)) for (const listener of listeners) listener()
    throw failure
  }
}

/** Sends what the console asks for, after the question who the member is where the server wants that answered. */
export const sendAsStaff = (request: Request): Promise<Response> =>
  noticeRefusal(sendProving(request))
