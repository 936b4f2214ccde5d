import { paths } from '../constants'

/** The address to go to after sign-in: a page of this site, never one of /auth. */
export function returnPath(next: string | undefined): string {
  const home = paths.dashboard
  if (!next?.startsWith('/')) return home
  const url = new URL(next, location.origin)
  if (url.origin !== location.origin || url.pathname.startsWith('/auth')) return home
  return url.pathname + url.search + url.hash
}
