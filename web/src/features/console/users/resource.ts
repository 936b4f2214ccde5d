import { type QueryClient, queryOptions } from '@tanstack/react-query'
import {
  staffOrders,
  staffServices,
  staffServicesCount,
  staffUserGet,
  staffUsers,
  staffUsersCount,
} from '@/lib/api/gen/staff/sdk.gen'
import type { UserRow } from '@/lib/api/gen/staff/types.gen'
import { mayOf, roleQuery } from '../parts/permissions'
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

export const services = byKey({
  name: 'services',
  keys: ['q', 'ended', 'ends', 'plan', 'started', 'user'],
  list: (options) => staffServices(options),
  count: (options) => staffServicesCount(options),
  csv: '/api/v2/staff/services/csv',
  rowKey: ({ id }) => id,
})

const staleTime = 5_000

export const userOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'users', 'one', id],
    queryFn: async ({ signal }) =>
      (await staffUserGet({ path: { user_id: Number(id) }, signal, throwOnError: true })).data,
    staleTime,
  })

const ORDERS = 10

/** The newest orders of a user. */
export const ordersOf = (id: number) =>
  queryOptions({
    queryKey: ['console', 'orders', 'of', id],
    queryFn: async ({ signal }) =>
      (
        await staffOrders({
          query: { user: String(id), limit: ORDERS },
          signal,
          throwOnError: true,
        })
      ).data,
    staleTime,
  })

/** For the route: a user, and what the member may see of the orders, beside the page's code. */
export async function loadUser(client: QueryClient, id: string): Promise<void> {
  const may = mayOf(await client.ensureQueryData(roleQuery()))
  await Promise.all([
    client.prefetchQuery(userOf(id)),
    may('order.read') && client.prefetchQuery(ordersOf(Number(id))),
  ])
}
