import { staffApiKeys } from '@/lib/api/gen/staff/sdk.gen'
import type { ApiKey } from '@/lib/api/gen/staff/types.gen'
import type { Resource } from '../parts/resource'

/** All that were not revoked: they are few. */
export const apiKeys: Resource<ApiKey> = {
  name: 'api-keys',
  rowKey: ({ id }) => id,
  load: async ({ signal }) => ({ rows: (await staffApiKeys({ signal, throwOnError: true })).data }),
}
