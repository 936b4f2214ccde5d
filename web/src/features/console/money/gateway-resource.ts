import { queryOptions } from '@tanstack/react-query'
import { staffGatewayGet, staffGatewayKinds, staffGatewaysList } from '@/lib/api/gen/staff/sdk.gen'
import type { GatewayAccount } from '@/lib/api/gen/staff/types.gen'
import type { Resource } from '../parts/resource'

const staleTime = 5_000

/** All of them are one part: a site has a handful. */
export const gateways: Resource<GatewayAccount> = {
  name: 'gateways',
  load: async ({ signal }) => ({
    rows: (await staffGatewaysList({ signal, throwOnError: true })).data,
  }),
  rowKey: ({ id }) => id,
}

export const gatewayOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'gateways', 'one', id],
    queryFn: async ({ signal }) =>
      (await staffGatewayGet({ path: { gateway_id: Number(id) }, signal, throwOnError: true }))
        .data,
    staleTime,
  })

export const gatewayKinds = () =>
  queryOptions({
    queryKey: ['console', 'gateways', 'kinds'],
    queryFn: async ({ signal }) => (await staffGatewayKinds({ signal, throwOnError: true })).data,
    staleTime,
  })
