import { ApiError } from '@/lib/api/errors'
import { client } from '@/lib/api/gen/client.gen'
import { sendProving } from '@/lib/api/prove'

/** The keys of calls whose answer did not arrive, by what they ask for. */
const unanswered = new Map<string, string>()

/**
 * Sends what a member asks for with a key of its own, and with the same key when they ask for the same again because
 * no answer came: it then happens once (`Idempotency-Key` in the contract).
 */
export async function sendKeyed(request: Request): Promise<Response> {
  if (request.method === 'GET' || request.headers.has('Idempotency-Key'))
    return sendProving(request)
  const wanted = `${request.method} ${request.url} ${await request.clone().text()}`
  const key = unanswered.get(wanted) ?? crypto.randomUUID()
  unanswered.set(wanted, key)
  request.headers.set('Idempotency-Key', key)
  try {
    const response = await sendProving(request)
    await response.clone().arrayBuffer() // An answer that is cut is none.
    unanswered.delete(wanted)
    return response
  } catch (failure) {
    if (failure instanceof ApiError && !failure.isPassing) unanswered.delete(wanted)
    throw failure
  }
}

client.setConfig({ fetch: (input) => sendKeyed(input as Request) })
