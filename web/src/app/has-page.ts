import type { AnyRoute, AnyRouter } from '@tanstack/react-router'
import { guarded } from '@/lib/lazy-part'

/**
 * Whether a page has this path, open or not. Loads the routes of all pages first: visitors' pages start with their
 * own ones only (openRouteTree.gen.ts), so that they don't grow with the rest. The staff console's come where one goes
 * there, and so do the first steps of a site and the pages for trying things out (extraRouteTree.gen.ts).
 */
export const hasPageOf = (router: AnyRouter) => async (path: string) => {
  // Every tree hangs its routes under the same root.
  await guarded(() => import('@/userRouteTree.gen'))
  if (/^\/admin(\/|$)/.test(path)) await add(router, () => import('./console/routes'))
  if (/^\/(setup|test-page)(\/|$)/.test(path)) await add(router, () => import('./extra-routes'))
  router.setRoutes(router.buildRouteTree())
  const [, , route] = router.getMatchedRoutes(path)
  return route !== undefined && route.id !== '/$'
}

/** Adds routes to those that are there: their tree has put them in their place, under the same root. */
async function add(
  { routeTree }: AnyRouter,
  load: () => Promise<{ routeTree: AnyRoute }>,
): Promise<void> {
  const present = Object.values<AnyRoute>(routeTree.children ?? {})
  const { routeTree: loaded } = await guarded(load)
  const added = Object.values<AnyRoute>(loaded.children ?? {})
  routeTree.addChildren([...new Set([...present, ...added])])
}
