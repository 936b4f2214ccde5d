import {
  staffAuditRecords,
  staffAuditRecordsCount,
  staffAuditRules,
  staffBlockedIps,
  staffIpBans,
} from '@/lib/api/gen/staff/sdk.gen'
import type { StaffAuditRecord, StaffAuditRule } from '@/lib/api/gen/staff/types.gen'
import { byKey, byPart, type Resource } from '../parts/resource'

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

/** What nodes asked all nodes to block. */
export const blocked = byPart({
  name: 'blocked-addresses',
  keys: ['ip', 'node_id'],
  list: async (options) => {
    const { data } = await staffBlockedIps(options)
    return { rows: data.addresses, total: data.total_count }
  },
  rowKey: ({ ip, node_id: node }) => `${ip} ${node}`,
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
