import type { Tokens } from '@/lib/session/session'

// In the memory of this page only, until the user has decided: so a reload forgets them.
let brought: Tokens | undefined

/** Keeps the tokens that an address has behind its #, which no server's log sees; false when there are none. */
export function keepUrlTokens(hash: string): boolean {
  const given = new URLSearchParams(hash.replace(/^#/, ''))
  const accessToken = given.get('access_token')
  if (!accessToken) return false
  brought = { access_token: accessToken, refresh_token: given.get('refresh_token') }
  return true
}

export const urlTokens = (): Tokens | undefined => brought

export function forgetUrlTokens(): void {
  brought = undefined
}
