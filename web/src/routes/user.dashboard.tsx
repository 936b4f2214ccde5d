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
import { newestAnnouncements, recentTraffic } from '@/features/home/queries'

export const Route = createFileRoute('/user/dashboard')({
  loader: ({ context: { queryClient } }) =>
    loadPage(
      loadTexts('home'),
      queryClient.prefetchQuery(dashboardGetOptions()),
      queryClient.prefetchQuery(linkTokenGetOptions()),
      queryClient.prefetchQuery(nodesListOptions()),
      queryClient.prefetchQuery(checkinGetOptions()),
      queryClient.prefetchQuery(recentTraffic()),
      queryClient.prefetchQuery(newestAnnouncements()),
      queryClient.prefetchQuery({ ...clientsListOptions(), staleTime: Infinity }),
    ),
  component: lazyPage(() => import('@/features/home/dashboard-page'), 'DashboardPage'),
})
