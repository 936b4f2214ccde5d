import { queryOptions } from '@tanstack/react-query'
import {
  staffAudit,
  staffAuditActions,
  staffAuditChain,
  staffAuditCount,
  staffAuditGet,
} from '@/lib/api/gen/staff/sdk.gen'
import { byKey } from '../parts/resource'

export const auditLog = byKey({
  name: 'audit',
  keys: ['q', 'action', 'actor', 'address', 'at', 'member', 'object', 'object_id'],
  list: (options) => staffAudit(options),
  count: (options) => staffAuditCount(options),
  csv: '/api/v2/staff/audit/csv',
  rowKey: ({ id }) => id,
})

export const auditEntryOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'audit-entry', id],
    queryFn: async ({ signal }) =>
      (await staffAuditGet({ path: { entry_id: Number(id) }, signal, throwOnError: true })).data,
    staleTime: 5_000,
  })

/** All actions with their words; they change with the server's version alone. */
export const auditActionsQuery = () =>
  queryOptions({
    queryKey: ['audit-actions'],
    queryFn: async ({ signal }) => (await staffAuditActions({ signal, throwOnError: true })).data,
    staleTime: Infinity,
  })

export const auditChainQuery = () =>
  queryOptions({
    queryKey: ['console', 'audit-chain'],
    queryFn: async ({ signal }) => (await staffAuditChain({ signal, throwOnError: true })).data,
    staleTime: 5_000,
  })
