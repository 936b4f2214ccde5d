import { queryOptions } from '@tanstack/react-query'
import { staffJobs, staffJobsTimetable, staffMails, staffSystem } from '@/lib/api/gen/staff/sdk.gen'
import type { MailItem, TimedJob } from '@/lib/api/gen/staff/types.gen'
import { byOffset, byPart, PART_SIZE, type Resource } from '../parts/resource'

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

type MailState = MailItem['state']

export const mails: Resource<MailItem> = {
  name: 'mails',
  load: async ({ filters, cursor, signal }) => {
    const { data } = await staffMails({
      query: {
        ...(filters.state && { state: filters.state as MailState }),
        ...(filters.q && { recipient: filters.q }),
        page: Number(cursor ?? 0) / PART_SIZE + 1,
        size: PART_SIZE,
      },
      signal,
      throwOnError: true,
    })
    return byOffset(data.mails, cursor, data.total_count)
  },
  rowKey: ({ mail_id: id }) => id,
}

export const systemQuery = () =>
  queryOptions({
    queryKey: ['console', 'system'],
    queryFn: async ({ signal }) => (await staffSystem({ signal, throwOnError: true })).data,
    staleTime: 5_000,
  })
