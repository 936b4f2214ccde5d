import { signOut } from '@/lib/api/auth-api'
import { session } from '@/lib/session/current-session'

/**
 * Ends the session at the server if it can be reached, here in any case, and removes the account's drafts from this browser.
 * A session that ends by itself keeps them: people come back to them.
 */
export async function leave(): Promise<void> {
  const { userId } = session
  if (session.accessToken()) await signOut().catch(() => undefined)
  session.signOut()
  // What only a sign-out needs is not loaded with every page; without it the sign-out is done all the same.
  await import('./remove-drafts').then((part) => part.removeDrafts(userId)).catch(() => undefined)
}
