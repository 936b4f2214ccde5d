import type { AnyRouter } from '@tanstack/react-router'
import { guarded } from '@/lib/lazy-part'

/**
 * Whether a page has this path, open or not. Loads the routes of all pages first: visitors' pages start with their
 * own ones only (openRouteTree.gen.ts), so that they don't grow with the rest.
 */
export const hasPageOf = (router: AnyRouter) => async (path: string) => {
  // The whole tree hangs its routes under the same root.
  await guarded(() => import('@/routeTree.gen'))
  router.setRoutes(router.buildRouteTree())
  const [, , route] = router.getMatchedRoutes(path)
  return route !== undefined && route.id !== '/$'
}
