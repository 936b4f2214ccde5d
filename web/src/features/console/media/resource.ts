import { queryOptions } from '@tanstack/react-query'
import { staffEmbyList } from '@/lib/api/gen/staff/sdk.gen'
import type { MediaAccount } from '@/lib/api/gen/staff/types.gen'
import { byPart, type Resource } from '../parts/resource'

/** A job brings the media server to what was asked for, so the list is read again while it is in sight. */
export const mediaAccounts: Resource<MediaAccount> = {
  everyMs: 5_000,
  ...byPart({
    name: 'media-accounts',
    keys: ['q', 'standing'],
    list: async (options) => {
      const { data } = await staffEmbyList(options)
      return { rows: data.accounts, total: data.total_count }
    },
    rowKey: ({ user_id: user }) => user,
  }),
}

/** Whether the site has a media server. */
export const isSetUpQuery = () =>
  queryOptions({
    queryKey: ['console', 'media-accounts', 'is-set-up'],
    queryFn: async ({ signal }) =>
      (await staffEmbyList({ query: { limit: 1 }, signal, throwOnError: true })).data.is_set_up,
    staleTime: 5_000,
  })
