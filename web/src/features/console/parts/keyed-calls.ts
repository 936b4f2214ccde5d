import { ApiError } from '@/lib/api/errors'
import { client } from '@/lib/api/gen/client.gen'
import { newIdempotencyKey } from '@/lib/idempotency-key'
import { sendAsStaff } from './refusals'
import { myId } from './use-me'

/** How long the same call counts as a repeat: afterwards a member means to do it once more. */
export const REPEAT_MS = 2 * 60_000

/** The keys of calls whose answer did not arrive, by who asks for what. */
const unanswered = new Map<string, { key: string; sentAt: number }>()

function keyOf(wanted: string): string {
  const sent = unanswered.get(wanted)
  const key = sent && Date.now() - sent.sentAt < REPEAT_MS ? sent.key : newIdempotencyKey()
  unanswered.set(wanted, { key, sentAt: Date.now() })
  return key
}

/**
 * Sends what a member asks for with a key of its own, and with the same key when they ask for the same again because
 * no answer came: it then happens once (`Idempotency-Key` in the contract).
 */
export async function sendKeyed(request: Request): Promise<Response> {
  if (request.method === 'GET' || request.headers.has('Idempotency-Key'))
    return sendAsStaff(request)
  const wanted = `${myId()} ${request.method} ${request.url} ${await request.clone().text()}`
  request.headers.set('Idempotency-Key', keyOf(wanted))
  try {
    const response = await sendAsStaff(request)
    await response.clone().arrayBuffer() // An answer that is cut is none.
    unanswered.delete(wanted)
    return response
  } catch (failure) {
    if (failure instanceof ApiError && !failure.isPassing) unanswered.delete(wanted)
    throw failure
  }
}

client.setConfig({ fetch: (input) => sendKeyed(input as Request) })
