import { queryOptions } from '@tanstack/react-query'
import { staffSettingHistory, staffSettings } from '@/lib/api/gen/staff/sdk.gen'

/** All settings with their words and values. */
export const settingsQuery = () =>
  queryOptions({
    queryKey: ['console', 'settings'],
    queryFn: async ({ signal }) => (await staffSettings({ signal, throwOnError: true })).data,
    staleTime: 5_000,
  })

/** What a setting was before. */
export const historyOf = (name: string) =>
  queryOptions({
    queryKey: ['console', 'settings', 'history', name],
    queryFn: async ({ signal }) =>
      (await staffSettingHistory({ path: { name }, signal, throwOnError: true })).data,
    staleTime: 5_000,
  })
