import type { QueryClient } from '@tanstack/react-query'
import {
  type ErrorComponentProps,
  createRootRouteWithContext,
  Outlet,
} from '@tanstack/react-router'
import { ErrorPage } from '@/app/error-page'
import { WebSiteLayout2 } from '@/app/layouts/web-site-layout2'
import { NotFoundPage } from '@/app/not-found-page'
import type { Session } from '@/app/session/session'

export const Route = createRootRouteWithContext<{ queryClient: QueryClient; session: Session }>()({
  component: Outlet,
  notFoundComponent: () => (
    <WebSiteLayout2>
      <NotFoundPage />
    </WebSiteLayout2>
  ),
  errorComponent: (props: ErrorComponentProps) => (
    <WebSiteLayout2>
      <ErrorPage {...props} />
    </WebSiteLayout2>
  ),
})
