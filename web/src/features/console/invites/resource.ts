import { queryOptions } from '@tanstack/react-query'
import { staffInvites } from '@/lib/api/gen/staff/sdk.gen'

/** Of how many days the figures may be; the first one is shown without a choice. */
export const PERIODS = ['30', '7', '90', '365'] as const

export const daysOf = (search: Record<string, unknown>) =>
  PERIODS.find((days) => days === String(search['days'])) ?? PERIODS[0]

/** What invites and check-ins of the last days brought, and what they cost. */
export const invitesOf = (days: string) =>
  queryOptions({
    queryKey: ['console', 'invites', days],
    queryFn: async ({ signal }) =>
      (await staffInvites({ query: { days: Number(days) }, signal, throwOnError: true })).data,
    staleTime: 5_000,
  })
