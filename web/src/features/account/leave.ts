import { signOut } from '@/lib/api/auth-api'
import { session } from '@/lib/session/current-session'

/** Ends the session at the server if it can be reached, here in any case. */
export async function leave(): Promise<void> {
  if (session.accessToken()) await signOut().catch(() => undefined)
  session.signOut()
}
