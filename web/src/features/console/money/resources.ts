import { queryOptions } from '@tanstack/react-query'
import {
  staffApprovalsList,
  staffInvoices,
  staffInvoicesCount,
  staffLedger,
  staffLedgerAccounts,
  staffLedgerCount,
  staffOrders,
  staffOrdersCount,
  staffPaymentCasesList,
  staffPayoutsList,
  staffRecharges,
  staffRechargesCount,
  staffRefundRequests,
} from '@/lib/api/gen/staff/sdk.gen'
import { asksAt } from '../parts/asks-at'
import { byKey, byPart } from '../parts/resource'

export const orders = byKey({
  name: 'orders',
  keys: ['q', 'coupon', 'created', 'kind', 'label', 'paid', 'plan', 'state', 'total', 'user'],
  list: (options) => staffOrders(options),
  count: (options) => staffOrdersCount(options),
  csv: '/api/v2/staff/orders/csv',
  rowKey: ({ no }) => no,
})

export const recharges = byKey({
  name: 'recharges',
  keys: ['q', 'amount', 'created', 'gateway', 'label', 'paid', 'state', 'user'],
  list: (options) => staffRecharges(options),
  count: (options) => staffRechargesCount(options),
  csv: '/api/v2/staff/recharges/csv',
  rowKey: ({ no }) => no,
})

export const ledger = byKey({
  name: 'ledger',
  keys: ['q', 'account', 'created', 'gateway', 'reason', 'user'],
  list: (options) => staffLedger(options),
  count: (options) => staffLedgerCount(options),
  csv: '/api/v2/staff/ledger/csv',
  rowKey: ({ id }) => id,
})

/** What each account of the ledger has. */
export const ledgerAccounts = () =>
  queryOptions({
    queryKey: ['console', 'ledger', 'accounts'],
    queryFn: async ({ signal }) => (await staffLedgerAccounts({ signal, throwOnError: true })).data,
    staleTime: 60_000,
  })

export const invoices = byKey({
  name: 'invoices',
  keys: ['q', 'created', 'kind', 'total', 'user'],
  list: (options) => staffInvoices(options),
  count: (options) => staffInvoicesCount(options),
  csv: '/api/v2/staff/invoices/csv',
  rowKey: ({ no }) => no,
})

export const approvals = byPart({
  name: 'approvals',
  keys: ['state', 'staff_id'],
  list: async (options) => {
    const { data } = await staffApprovalsList(options)
    return { rows: data.approvals, total: data.total_count }
  },
  rowKey: ({ id }) => id,
})

export const payouts = byPart({
  name: 'payouts',
  keys: ['state', 'user_id', 'assignee'],
  list: async (options) => {
    const { data } = await staffPayoutsList({ ...options, ...asksAt('/admin/payouts') })
    return { rows: data.payouts, total: data.total_count }
  },
  rowKey: ({ id }) => id,
})

export const refundRequests = byPart({
  name: 'refund-requests',
  keys: ['state', 'assignee'],
  list: async (options) => {
    const { data } = await staffRefundRequests(options)
    return { rows: data.requests, total: data.total_count }
  },
  rowKey: ({ id }) => id,
})

export const paymentCases = byPart({
  name: 'payment-cases',
  keys: ['state', 'assignee'],
  list: async (options) => {
    const { data } = await staffPaymentCasesList(options)
    return { rows: data.cases, total: data.total_count }
  },
  rowKey: ({ id }) => id,
})
