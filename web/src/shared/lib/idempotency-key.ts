/** A name for one intention to move money: sent again with the same key, it happens once. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const stored = (intention: string) => `idempotency:${intention}`

/**
 * The key of an intention until it is done, in this tab: one who reloads the page while the answer is on its way, and
 * presses again, gets that answer and pays once.
 */
export function idempotencyKeyFor(intention: string): string {
  const key = sessionStorage.getItem(stored(intention)) ?? newIdempotencyKey()
  sessionStorage.setItem(stored(intention), key)
  return key
}

export const forgetIdempotencyKey = (intention: string) =>
  sessionStorage.removeItem(stored(intention))
