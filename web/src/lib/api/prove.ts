import { send } from './client'
import { ApiError } from './errors'

/** Has the user show who they are; false when they do not. */
type Ask = () => Promise<boolean>

/** How long a refused call waits for the shell of its page. */
const SHELL_MS = 10_000

let present: Ask | undefined
const waiting = new Set<(ask: Ask) => void>()

/** Has `ask` make the user show who they are, where the server asks for that. */
export function proveWith(ask: Ask | undefined): void {
  present = ask
  if (!ask) return
  for (const go of waiting) go(ask)
  waiting.clear()
}

/** Sends a request, and once more when the server asked who the user is and they have shown it. */
export async function sendProving(request: Request): Promise<Response> {
  const again = request.clone()
  try {
    return await send(request)
  } catch (failure) {
    if (!(failure instanceof ApiError) || failure.code !== 'step_up_required') throw failure
    const ask = await asker()
    if (!(await ask?.())) throw failure
    return sendProving(again)
  }
}

/** The shell of a page asks. What the page shows is loaded before the shell is drawn, and waits for it. */
async function asker(): Promise<Ask | undefined> {
  if (present) return present
  return new Promise((resolve) => {
    waiting.add(resolve)
    setTimeout(() => {
      waiting.delete(resolve)
      resolve(undefined)
    }, SHELL_MS)
  })
}
