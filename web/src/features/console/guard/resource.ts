import {
  staffAuditRecords,
  staffAuditRecordsCount,
  staffAuditRules,
  staffBlockedIps,
  staffIpBans,
} from '@/lib/api/gen/staff/sdk.gen'
import type { BlockedIp, StaffAuditRecord, StaffAuditRule } from '@/lib/api/gen/staff/types.gen'
import { byKey, byPart, PART_SIZE, type Resource } from '../parts/resource'

export const rules: Resource<StaffAuditRule> = {
  name: 'audit-rules',
  load: async ({ signal }) => ({
    rows: (await staffAuditRules({ signal, throwOnError: true })).data.rules,
  }),
  rowKey: ({ id }) => id,
}

export const hits = byKey<StaffAuditRecord>({
  name: 'audit-records',
  keys: ['q', 'user', 'rule', 'node', 'at'],
  list: (options) => staffAuditRecords(options),
  count: (options) => staffAuditRecordsCount(options),
  csv: '/api/v2/staff/audit-records/csv',
  rowKey: ({ id }) => id,
})

/** What nodes asked all nodes to block: up to 10,000 addresses of each, so that it is read by key. */
export const blocked: Resource<BlockedIp> = {
  name: 'blocked-addresses',
  keys: ['ip', 'node_id'],
  load: async ({ filters, cursor, signal }) => {
    const query = {
      ...ofBlocked(filters),
      limit: PART_SIZE,
      before: Number(cursor ?? 0),
    }
    const { addresses } = (await staffBlockedIps({ query, signal, throwOnError: true })).data
    const last = addresses.at(-1)
    return {
      rows: addresses,
      next: addresses.length < PART_SIZE ? undefined : String(last?.id),
    }
  },
  count: async ({ filters, signal }) => {
    const query = { ...ofBlocked(filters), limit: 1 }
    const { total_count: count } = (await staffBlockedIps({ query, signal, throwOnError: true }))
      .data
    return { count }
  },
  rowKey: ({ id }) => id,
}

const ofBlocked = ({ ip, node_id: node }: Record<string, string>) => ({
  ...(ip && { ip }),
  ...(node && { node_id: Number(node) }),
})

/** The networks whose requests the site refuses. */
export const bans = byPart({
  name: 'network-bans',
  list: async (options) => {
    const { data } = await staffIpBans(options)
    return { rows: data.bans, total: data.total_count }
  },
  rowKey: ({ id }) => id,
})
