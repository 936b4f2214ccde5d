import { infiniteQueryOptions } from '@tanstack/react-query'
import {
  nodesListOptions,
  trafficCalendarOptions,
  trafficTimeAxisOptions,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import { trafficPages } from '@/lib/api/gen/sdk.gen'
import { beginOf, type Range, ranges } from './ranges'

// Loaded by routes together with the pages' code, and by the pages.

// What a route asked for a moment ago; nodes report more all the time.
export const staleTime = 10_000

const PAGE_SIZE = 200

export const axisQuery = (range: Range, node: number | undefined) => ({
  from: beginOf(range, Date.now()),
  bucket: ranges[range].bucket,
  node_id: node,
})

export const axisOf = (range: Range, node: number | undefined) => ({
  ...trafficTimeAxisOptions({ query: axisQuery(range, node) }),
  staleTime,
})

/** A month such as 2026-11; the present one of the site where none is named. */
export const calendarOf = (month: string | undefined) => ({
  ...trafficCalendarOptions({ query: { year_month: month } }),
  staleTime,
})

export const nodeChoices = () => nodesListOptions()

/** Of one node, or of the hours of one day (days.ts). */
export type LogQuery = { node_id?: number | undefined; from?: string; to?: string }

export const rowsOf = (filter: LogQuery) =>
  infiniteQueryOptions({
    queryKey: ['trafficRows', filter],
    queryFn: async ({ pageParam: after, signal }) => {
      const query = { ...filter, limit: PAGE_SIZE, after }
      return (await trafficPages({ query, signal, throwOnError: true })).data
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_after: after }) => after ?? undefined,
    staleTime,
  })
