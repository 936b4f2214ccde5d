import type { QueryClient } from '@tanstack/react-query'
import {
  type ErrorComponentProps,
  createRootRouteWithContext,
  Outlet,
} from '@tanstack/react-router'
import { ErrorPage } from '@/app/error-page'
import { WebSiteLayout2 } from '@/app/layouts/web-site-layout2'
import { StandaloneNotFoundPage } from '@/app/not-found-page'
import type { Session } from '@/lib/session/session'

type Context = {
  queryClient: QueryClient
  session: Session
  hasPage: (path: string) => Promise<boolean>
}

export const Route = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: StandaloneNotFoundPage,
  errorComponent: (props: ErrorComponentProps) => (
    <WebSiteLayout2>
      <ErrorPage {...props} />
    </WebSiteLayout2>
  ),
})
