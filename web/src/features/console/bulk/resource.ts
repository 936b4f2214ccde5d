import { queryOptions } from '@tanstack/react-query'
import { staffBulkJob, staffBulkJobRows, staffBulkJobs } from '@/lib/api/gen/staff/sdk.gen'
import type { BulkJobRow } from '@/lib/api/gen/staff/types.gen'
import { byPart, PART_SIZE, type Resource } from '../parts/resource'

export const bulkJobs = byPart({
  name: 'bulk-jobs',
  list: async (options) => {
    const { data } = await staffBulkJobs(options)
    return { rows: data.jobs, total: data.total_count }
  },
  rowKey: ({ id }) => id,
})

/** How often a job that runs is read again. */
export const PACE = 3_000

export const bulkJobOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'bulk-jobs', 'one', id],
    queryFn: async ({ signal }) =>
      (await staffBulkJob({ path: { job_id: Number(id) }, signal, throwOnError: true })).data,
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? PACE : false),
  })

/** What became of each user of a job, by the users' numbers. */
export const bulkRowsOf = (id: string): Resource<BulkJobRow, string> => ({
  name: `bulk-job-${id}`,
  keys: ['state'],
  rowKey: ({ user }) => user.id,
  load: async ({ filters, cursor, signal }) => {
    const { data } = await staffBulkJobRows({
      path: { job_id: Number(id) },
      query: {
        limit: PART_SIZE,
        ...(cursor && { after: Number(cursor) }),
        ...(filters.state && { state: filters.state as 'failed' }),
      },
      signal,
      throwOnError: true,
    })
    const last = data.at(-1)
    return {
      rows: data,
      next: data.length === PART_SIZE && last ? String(last.user.id) : undefined,
    }
  },
})
