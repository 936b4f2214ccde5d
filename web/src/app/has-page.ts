import type { AnyRoute, AnyRouter } from '@tanstack/react-router'
import { guarded } from '@/lib/lazy-part'

/**
 * Whether a page has this path. Loads the routes of its part of the app first, so that no part grows with another: the
 * routes that visitors start with (openRouteTree.gen.ts) are there, those of users, of the staff console, and of the
 * site's first steps with the pages for trying things out are loaded where one goes there.
 */
export const hasPageOf = (router: AnyRouter) => async (path: string) => {
  adding = adding.catch(() => undefined).then(() => add(router, treeOf(path)))
  await adding
  router.setRoutes(router.buildRouteTree())
  const [, , route] = router.getMatchedRoutes(path)
  return route !== undefined && route.id !== '/$'
}

// One after the other, since a tree that is loaded hangs its routes under the root in place of those that are there.
let adding: Promise<void> = Promise.resolve()

function treeOf(path: string): () => Promise<unknown> {
  if (/^\/admin(\/|$)/.test(path)) return () => import('./console/routes')
  if (/^\/(setup|test-page)(\/|$)/.test(path)) return () => import('./extra-routes')
  return () => import('@/userRouteTree.gen')
}

/** Adds the routes of a tree to those that are there. */
async function add({ routeTree }: AnyRouter, load: () => Promise<unknown>): Promise<void> {
  const routes = () => Object.values<AnyRoute>(routeTree.children ?? {})
  const present = routes()
  await guarded(load)
  routeTree.addChildren([...new Set([...present, ...routes()])])
}
