import { paths } from './constants'

/** The address to go to after sign-in: a page of this site, never one of /auth. */
export function returnPath(next: string | undefined): string {
  const home = paths.dashboard
  if (!next?.startsWith('/')) return home
  const url = new URL(next, location.origin)
  // Dots may leave a path that begins with //, which is an address of another site again.
  if (url.origin !== location.origin || /^\/(\/|auth\b)/.test(url.pathname)) return home
  return url.pathname + url.search + url.hash
}
