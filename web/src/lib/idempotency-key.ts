import { session } from './session/current-session'

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

const stored = (intention: string) => `idempotency:${session.userId}:${intention}`

/**
 * The key of the user's intention until it is done: one who reloads the page while the answer is on its way, or has the
 * page open in two tabs, and presses again, gets that answer and pays once. Whoever else signs in has other keys.
 */
export function idempotencyKeyFor(intention: string): string {
  const name = stored(intention)
  const [ofTab, time] = localStorage.getItem(name)?.split(' ') ?? []
  const shared = Date.now() - Number(time) < SHARED_MS ? ofTab : undefined
  const key = sessionStorage.getItem(name) ?? shared ?? newIdempotencyKey()
  sessionStorage.setItem(name, key)
  localStorage.setItem(name, `${key} ${Date.now()}`)
  return key
}

export function forgetIdempotencyKey(intention: string): void {
  for (const storage of [sessionStorage, localStorage]) storage.removeItem(stored(intention))
}
