import { queryOptions } from '@tanstack/react-query'
import {
  staffJobs,
  staffJobsTimetable,
  staffSigningKey,
  staffSystem,
} from '@/lib/api/gen/staff/sdk.gen'
import type { TimedJob } from '@/lib/api/gen/staff/types.gen'
import { byPart, type Resource } from '../parts/resource'

export const timetable: Resource<TimedJob> = {
  name: 'timetable',
  load: async ({ signal }) => ({
    rows: (await staffJobsTimetable({ signal, throwOnError: true })).data,
  }),
  rowKey: ({ name }) => name,
}

export const queue = byPart({
  name: 'jobs',
  keys: ['state', 'kind'],
  list: async (options) => {
    const { data } = await staffJobs(options)
    return { rows: data.jobs, total: data.total_count }
  },
  rowKey: ({ id }) => id,
})

export const systemQuery = () =>
  queryOptions({
    queryKey: ['console', 'system'],
    queryFn: async ({ signal }) => (await staffSystem({ signal, throwOnError: true })).data,
    staleTime: 5_000,
  })

/** The keys that sign sessions, the present one first. */
export const signingKeyQuery = () =>
  queryOptions({
    queryKey: ['console', 'signing-key'],
    queryFn: async ({ signal }) =>
      (await staffSigningKey({ signal, throwOnError: true })).data.keys,
    staleTime: 5_000,
  })
