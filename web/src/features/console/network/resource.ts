import { type QueryClient, queryOptions } from '@tanstack/react-query'
import {
  staffHeldBatches,
  staffNodeAgentConfig,
  staffNodeGet,
  staffNodeGroups,
  staffNodeHistory,
  staffNodeLinkEntry,
  staffNodesList,
  staffNodesRebuildPreview,
} from '@/lib/api/gen/staff/sdk.gen'
import type { StaffNode } from '@/lib/api/gen/staff/types.gen'
import { loadWhereMay } from '../parts/permissions'
import { byOffset, PART_SIZE, type Resource } from '../parts/resource'

/** Where nodes are, how many use them: read again this often. */
export const LIVE_MS = 5_000
const staleTime = 5_000

export const nodes: Resource<StaffNode> = {
  name: 'nodes',
  keys: ['q', 'status', 'protocol', 'enabled', 'group_id', 'country'],
  everyMs: LIVE_MS,
  rowKey: ({ id }) => id,
  load: async ({ filters, sort, cursor, signal }) => {
    const { data } = await staffNodesList({
      query: {
        ...filters,
        ...(sort && { sort: sort as 'name' }),
        limit: PART_SIZE,
        offset: Number(cursor ?? 0),
      },
      signal,
      throwOnError: true,
    })
    return byOffset(data.nodes, cursor, data.total)
  },
  count: async ({ filters, signal }) => {
    const { data } = await staffNodesList({
      query: { ...filters, limit: 1 },
      signal,
      throwOnError: true,
    })
    return { count: data.total }
  },
}

const MOST = 500

/** All nodes, for a change of several. */
export const allNodes = () =>
  queryOptions({
    queryKey: ['console', 'nodes', 'all'],
    queryFn: async ({ signal }) =>
      (await staffNodesList({ query: { limit: MOST }, signal, throwOnError: true })).data.nodes,
    staleTime,
  })

/** The nodes of Shadowsocks before its edition of 2022, and what a rebuild makes of them. */
export const oldNodes = () =>
  queryOptions({
    queryKey: ['console', 'nodes', 'old'],
    queryFn: async ({ signal }) =>
      (await staffNodesRebuildPreview({ signal, throwOnError: true })).data,
    staleTime,
  })

const path = (id: string) => ({ node_id: Number(id) })

export const nodeOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'nodes', 'one', id],
    queryFn: async ({ signal }) =>
      (await staffNodeGet({ path: path(id), signal, throwOnError: true })).data,
    staleTime,
  })

export const historyOf = (id: string, hours: number) =>
  queryOptions({
    queryKey: ['console', 'nodes', 'history', id, hours],
    queryFn: async ({ signal }) =>
      (await staffNodeHistory({ path: path(id), query: { hours }, signal, throwOnError: true }))
        .data,
    staleTime: 60_000,
  })

export const agentConfigOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'nodes', 'agent', id],
    queryFn: async ({ signal }) =>
      (await staffNodeAgentConfig({ path: path(id), signal, throwOnError: true })).data,
    staleTime,
  })

export const linkEntryOf = (id: string, client: string) =>
  queryOptions({
    queryKey: ['console', 'nodes', 'entry', id, client],
    queryFn: async ({ signal }) =>
      (
        await staffNodeLinkEntry({
          path: path(id),
          query: { client_type: client },
          signal,
          throwOnError: true,
        })
      ).data,
    staleTime,
  })

export const heldBatchesOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'nodes', 'batches', id],
    queryFn: async ({ signal }) =>
      (await staffHeldBatches({ path: path(id), signal, throwOnError: true })).data.batches,
    staleTime,
  })

export const nodeGroups = () =>
  queryOptions({
    queryKey: ['console', 'node-groups'],
    queryFn: async ({ signal }) => (await staffNodeGroups({ signal, throwOnError: true })).data,
    staleTime,
  })

/** For routes of pages that name groups, such as those of plans. */
export const loadNodeGroups = (client: QueryClient) =>
  loadWhereMay(client, 'node.read', () => client.prefetchQuery(nodeGroups()))

/** The line that installs a node's agent, with a secret that is shown once: known only where it was just made. */
export const installKey = (id: number) => ['node-install', id]
