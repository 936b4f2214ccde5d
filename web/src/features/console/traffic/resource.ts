import { queryOptions } from '@tanstack/react-query'
import {
  staffStatisticsGrowth,
  staffStatisticsTraffic,
  staffStatisticsUsers,
  staffUsersCount,
} from '@/lib/api/gen/staff/sdk.gen'
import { byOffset, PART_SIZE, type Resource } from '../parts/resource'

/** By what the site's traffic is added up. */
export const BY = ['user', 'node', 'plan', 'country', 'day'] as const

export type By = (typeof BY)[number]

export const byOf = (search: Record<string, string>): By =>
  BY.find((one) => one === search.by) ?? 'user'

export type Sum = {
  key: string
  name: string
  up: number
  down: number
  billed: number
}

type Span = { from: string; to: string }

/** The sums of a time, the most first; of days the oldest first. */
export const sums = (by: By, { from, to }: Span): Resource<Sum, string> => ({
  name: `traffic-${by}-${from}`,
  rowKey: ({ key }) => key,
  csv: () => `/api/v2/staff/statistics/users/csv?${new URLSearchParams({ from, to })}`,
  parquet: () => `/api/v2/staff/statistics/users/parquet?${new URLSearchParams({ from, to })}`,
  load: async ({ cursor, signal }) => {
    if (by === 'user') {
      const { data } = await staffStatisticsUsers({
        query: { from, to, limit: PART_SIZE, offset: Number(cursor ?? 0) },
        signal,
        throwOnError: true,
      })
      const rows = data.users.map((user) => ({
        key: String(user.user_id),
        name: user.email,
        up: user.up_bytes,
        down: user.down_bytes,
        billed: user.billed_bytes,
      }))
      return byOffset(rows, cursor, data.total_count)
    }
    const { data } = await staffStatisticsTraffic({
      query: { from, to, by },
      signal,
      throwOnError: true,
    })
    return {
      rows: data.map((row) => ({
        key: row.key,
        name: row.name,
        up: row.up_bytes,
        down: row.down_bytes,
        billed: row.billed_bytes,
      })),
    }
  },
})

export const growthQuery = () =>
  queryOptions({
    queryKey: ['console', 'traffic', 'growth'],
    queryFn: async ({ signal }) =>
      (await staffStatisticsGrowth({ query: { months: 12 }, signal, throwOnError: true })).data,
    staleTime: 60_000,
  })

/** Which users are near their limit: the list of users shows the same. */
export const NEAR_LIMIT = { state: 'active', used: '80..' }

export const nearLimitQuery = () =>
  queryOptions({
    queryKey: ['console', 'traffic', 'near-limit'],
    queryFn: async ({ signal }) =>
      (await staffUsersCount({ query: NEAR_LIMIT, signal, throwOnError: true })).data,
    staleTime: 60_000,
  })
