import { send } from './client'
import { ApiError } from './errors'

let askAgain: (() => Promise<boolean>) | undefined

/** Has `ask` make the user show who they are, where the server asks for that; false when they do not. */
export function proveWith(ask: (() => Promise<boolean>) | undefined): void {
  askAgain = ask
}

/** Sends a request, and once more when the server asked who the user is and they have shown it. */
export async function sendProving(request: Request): Promise<Response> {
  const again = request.clone()
  try {
    return await send(request)
  } catch (failure) {
    const isAsked = failure instanceof ApiError && failure.code === 'step_up_required'
    if (!isAsked || !(await askAgain?.())) throw failure
    return sendProving(again)
  }
}
