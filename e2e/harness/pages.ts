import { readFileSync } from 'node:fs'

const routes = readFileSync(new URL('../../web/src/routeTree.gen.ts', import.meta.url), 'utf8')

/** Every page of the app that needs no parameter, from the router's own list, so that no new page is forgotten. */
export function pages(): { open: string[]; user: string[] } {
  const list = /fullPaths:([^}]*?)fileRoutesByTo:/s.exec(routes)?.[1] ?? ''
  const all = [...list.matchAll(/'([^']*)'/g)].flatMap(([, path]) => (path ? [path.replace(/(.)\/$/, '$1')] : []))
  const found = [...new Set(all)].filter((path) => !path.includes('$') && path !== '/auth/sign-out')
  return { open: found.filter((path) => !path.startsWith('/user') && path !== '/'), user: found.filter((path) => path.startsWith('/user')) }
}

/** What Chromium notes on its console when a document is answered with 404, as addresses that are no page are. */
export const notedMissingPage = /status of 404 .*\/no-such-page\)$/
