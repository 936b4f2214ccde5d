import { staffUsers, staffUsersCount } from '@/lib/api/gen/staff/sdk.gen'
import type { UserRow } from '@/lib/api/gen/staff/types.gen'
import { byKey } from '../parts/resource'

export const users = byKey<UserRow>({
  name: 'users',
  keys: [
    'q',
    'area',
    'balance',
    'created',
    'domain',
    'ends',
    'fetches',
    'inviter',
    'label',
    'plan',
    'role',
    'seen',
    'state',
    'used',
  ],
  list: (options) => staffUsers(options),
  count: (options) => staffUsersCount(options),
  csv: '/api/v2/staff/users/csv',
  rowKey: ({ id }) => id,
})
