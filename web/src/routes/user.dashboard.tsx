import type { QueryClient } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import {
  checkinGetOptions,
  clientsListOptions,
  dashboardGetOptions,
  linkTokenGetOptions,
  nodesListOptions,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { hasNoService, newestAnnouncements, recentTraffic } from '@/features/home/queries'
import { recentRecharges } from '@/lib/recent-recharge'

/** Where no service runs, an order may wait for its payment. */
async function loadDashboard(queryClient: QueryClient): Promise<void> {
  const { access } = await queryClient.fetchQuery(dashboardGetOptions())
  if (hasNoService(access)) await queryClient.prefetchQuery(recentRecharges())
}

export const Route = createFileRoute('/user/dashboard')({
  loader: ({ context: { queryClient } }) =>
    loadPage(
      loadTexts('home'),
      loadDashboard(queryClient),
      queryClient.prefetchQuery(linkTokenGetOptions()),
      queryClient.prefetchQuery(nodesListOptions()),
      queryClient.prefetchQuery(checkinGetOptions()),
      queryClient.prefetchQuery(recentTraffic()),
      queryClient.prefetchQuery(newestAnnouncements()),
      queryClient.prefetchQuery({ ...clientsListOptions(), staleTime: Infinity }),
    ),
  component: lazyPage(() => import('@/features/home/dashboard-page'), 'DashboardPage'),
})
