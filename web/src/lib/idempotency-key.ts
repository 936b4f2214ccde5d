/** How long a key is the one of other tabs too: longer than anybody presses the same button in a second one. */
const SHARED_MS = 10 * 60_000

/**
 * A name for one intention: sent again with the same key, it happens once. Without HTTPS browsers have no
 * `crypto.randomUUID`.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const stored = (intention: string) => `idempotency:${intention}`

/** The key that another tab uses for the same intention, and has used lately. */
function sharedKey(intention: string): string | undefined {
  const [key, time] = localStorage.getItem(stored(intention))?.split(' ') ?? []
  return Date.now() - Number(time) < SHARED_MS ? key : undefined
}

/**
 * The key of an intention until it is done: one who reloads the page while the answer is on its way, or has the page
 * open in two tabs, and presses again, gets that answer and pays once.
 */
export function idempotencyKeyFor(intention: string): string {
  const name = stored(intention)
  const key = sessionStorage.getItem(name) ?? sharedKey(intention) ?? newIdempotencyKey()
  sessionStorage.setItem(name, key)
  localStorage.setItem(name, `${key} ${Date.now()}`)
  return key
}

export function forgetIdempotencyKey(intention: string): void {
  sessionStorage.removeItem(stored(intention))
  localStorage.removeItem(stored(intention))
}
