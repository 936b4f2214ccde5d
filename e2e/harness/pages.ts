import { readFileSync } from 'node:fs'

const routes = readFileSync(new URL('../../web/src/routeTree.gen.ts', import.meta.url), 'utf8')

/** Every page of the app without parameters, from the router's list, so that new pages are included. */
export function pages(): { open: string[]; user: string[]; console: string[] } {
  const list = /fullPaths:([^}]*?)fileRoutesByTo:/s.exec(routes)?.[1] ?? ''
  const all = [...list.matchAll(/'([^']*)'/g)].flatMap(([, path]) => (path ? [path.replace(/(.)\/$/, '$1')] : []))
  const found = [...new Set(all)].filter((path) => !path.includes('$') && path !== '/auth/sign-out')
  const of = (area: string) => found.filter((path) => path === area || path.startsWith(`${area}/`))
  const signedIn = [...of('/user'), ...of('/admin')]
  return { open: found.filter((path) => path !== '/' && !signedIn.includes(path)), user: of('/user'), console: of('/admin') }
}

/** Pages of a user whose address says what they show. */
export const particularPages = ['/user/nodes?node=1', '/user/wallet/billing/view-invoice/1']

/**
 * Pages of the console about one object each, which the demo has. That of a ticket is not among them: what reads Markdown
 * comes after its messages, which then move.
 */
export const particularConsolePages = ['users', 'nodes', 'orders', 'plans', 'recharges'].map((of) => `/admin/${of}/1`)

/** The console message of Chromium for a document with status 404, as unknown addresses have. */
export const notFoundMessage = /status of 404 .*\/no-such-page\)$/
