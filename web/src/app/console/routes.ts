import type { AnyRoute } from '@tanstack/react-router'
import { routeTree } from '@/consoleRouteTree.gen'

/** Adds the console's routes to those of customers: its tree has put them in their place, under the same root. */
export function addConsoleTo(root: AnyRoute, ofUsers: AnyRoute[]): void {
  const ofConsole: AnyRoute[] = Object.values(routeTree.children ?? {})
  root.addChildren([...new Set([...ofUsers, ...ofConsole])])
}
