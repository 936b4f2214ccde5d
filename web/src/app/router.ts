import { createRouter, type RouterHistory } from '@tanstack/react-router'
import { routeTree } from '../routeTree.gen'
import { ErrorPage } from './error-page'
import { focusOnNavigation } from './focus-on-navigation'
import { followSession } from './follow-session'
import { limitPreloads } from './limit-preloads'
import { NotFoundPage } from './not-found-page'
import { queryClient } from './query-client'
import { session } from './session/current-session'

export function createAppRouter(history?: RouterHistory) {
  const router = createRouter({
    routeTree,
    ...(history && { history }),
    context: { queryClient, session },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 150,
    defaultPendingMinMs: 300,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  })
  limitPreloads(router)
  followSession(session, queryClient, router)
  focusOnNavigation(router)
  return router
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
