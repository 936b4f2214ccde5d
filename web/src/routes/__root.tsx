import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router'
import type { Session } from '@/app/session/session'

export const Route = createRootRouteWithContext<{ queryClient: QueryClient; session: Session }>()({
  component: Outlet,
})
