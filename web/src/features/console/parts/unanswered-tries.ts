import { ApiError } from '@/lib/api/errors'
import { REPEAT_MS } from './keyed-calls'
import { myId } from './use-me'

/** How long a try without an answer is remembered: afterwards a member has seen what came of it. */
const REMEMBERED_MS = 10 * 60_000
const PREFIX = 'console-try:'

type Try = { sentAt: number; values: string | undefined }

/** What each try without an answer has sent, for as long as the page is open: it may hold secrets, so it is stored nowhere. */
const sent = new Map<string, string | undefined>()

function read(name: string): Try | undefined {
  const sentAt = Number(sessionStorage.getItem(PREFIX + name))
  return Date.now() - sentAt < REMEMBERED_MS ? { sentAt, values: sent.get(name) } : undefined
}

function remember(name: string, one: Try | undefined): void {
  if (!one) {
    sent.delete(name)
    sessionStorage.removeItem(PREFIX + name)
    return
  }
  sent.set(name, one.values)
  try {
    sessionStorage.setItem(PREFIX + name, String(one.sentAt))
  } catch {
    // Without room for it what is sent goes out all the same.
  }
}

/** Whether what failed without an answer may have been done. */
export const mayBeDone = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.attempt !== undefined &&
  error.isPassing &&
  error.status !== 429

/** What the failure of a try leaves to remember: it may have been done, or was never received, or was answered. */
function left(error: unknown, one: Try, earlier: Try | undefined): Try | undefined {
  if (mayBeDone(error)) return one
  return error instanceof ApiError && error.isPassing ? earlier : undefined
}

/**
 * Sends what a form asks for, unless the member's earlier try of the same form (`form`) had no answer: that one may have
 * been done, and other values would be done besides, since the server can't know them as a repeat. Such a try fails once
 * with `warning` and goes through when it is sent again. The same values, while the page knows them, are a repeat with the same key.
 */
export async function sendTry<T>(
  form: string,
  values: object,
  warning: string,
  send: () => Promise<T>,
): Promise<T> {
  const name = `${myId()}:${form}`
  const one = { sentAt: Date.now(), values: JSON.stringify(values) }
  const earlier = read(name)
  if (earlier && !(earlier.values === one.values && one.sentAt - earlier.sentAt < REPEAT_MS)) {
    remember(name, undefined)
    throw new ApiError(warning, { status: 409, code: 'earlier_try_unanswered' })
  }
  // Before it is sent: who reloads the page meanwhile never gets the answer.
  remember(name, one)
  try {
    const made = await send()
    remember(name, undefined)
    return made
  } catch (error) {
    remember(name, left(error, one, earlier))
    throw error
  }
}
