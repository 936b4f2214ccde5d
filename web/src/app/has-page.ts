import type { AnyRoute, AnyRouter } from '@tanstack/react-router'
import { guarded } from '@/lib/lazy-part'

/**
 * Whether a page has this path, open or not. Loads the routes of all pages first: visitors' pages start with their
 * own ones only (openRouteTree.gen.ts), so that they don't grow with the rest. The staff console's come where one goes there.
 */
export const hasPageOf = (router: AnyRouter) => async (path: string) => {
  // Every tree hangs its routes under the same root.
  await guarded(() => import('@/userRouteTree.gen'))
  if (/^\/admin(\/|$)/.test(path)) await addConsole(router)
  router.setRoutes(router.buildRouteTree())
  const [, , route] = router.getMatchedRoutes(path)
  return route !== undefined && route.id !== '/$'
}

async function addConsole({ routeTree }: AnyRouter): Promise<void> {
  const ofUsers = Object.values<AnyRoute>(routeTree.children ?? {})
  const { addConsoleTo } = await guarded(() => import('./console/routes'))
  addConsoleTo(routeTree, ofUsers)
}
