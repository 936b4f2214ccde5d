import { createRouter } from '@tanstack/react-router'
import { routeTree } from '../routeTree.gen'
import { ErrorPage } from './error-page'
import { limitPreloads } from './limit-preloads'
import { NotFoundPage } from './not-found-page'
import { queryClient } from './query-client'
import { session } from './session/current-session'

export const router = createRouter({
  routeTree,
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

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
