import { createRouter, type RouterHistory } from '@tanstack/react-router'
import { routeTree as openRouteTree } from '@/openRouteTree.gen'
import type { routeTree } from '@/routeTree.gen'
import { ErrorPage } from './error-page'
import { focusOnNavigation } from './focus-on-navigation'
import { followSession } from './follow-session'
import { hasPageOf } from './has-page'
import { limitPreloads } from './limit-preloads'
import { markLoading } from './mark-loading'
import { NotFoundPage } from './not-found-page'
import { queryClient } from './query-client'
import { onRepeated } from '@/lib/api/client'
import { session } from '@/lib/session/current-session'

export function createAppRouter(history?: RouterHistory) {
  const router = createRouter({
    // Typed as what it becomes (see has-page.ts).
    routeTree: openRouteTree as unknown as typeof routeTree,
    ...(history && { history }),
    context: { queryClient, session, hasPage: (path) => hasPage(path) },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 150,
    defaultPendingMinMs: 300,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  })
  const hasPage = hasPageOf(router)
  limitPreloads(router)
  followSession(session, queryClient, router)
  focusOnNavigation(router)
  markLoading(router)
  onRepeated(() => void import('./say-repeated').then((part) => part.sayRepeated()))
  return router
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
