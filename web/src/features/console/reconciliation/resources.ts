import { queryOptions } from '@tanstack/react-query'
import {
  staffReconciliation,
  staffSettlementsList,
  staffStatement,
  staffStatementLines,
  staffStatementsList,
} from '@/lib/api/gen/staff/sdk.gen'
import { byPart } from '../parts/resource'

export const statements = byPart({
  name: 'statements',
  keys: ['gateway'],
  list: async (options) => {
    const { data } = await staffStatementsList(options)
    return { rows: data.statements, total: data.total_count }
  },
  rowKey: ({ id }) => id,
})

export const settlements = byPart({
  name: 'settlements',
  keys: ['gateway'],
  list: async (options) => {
    const { data } = await staffSettlementsList(options)
    return { rows: data.settlements, total: data.total_count }
  },
  rowKey: ({ id }) => id,
})

/** The lines of one statement with what the books have for each. */
export const linesOf = (id: string) =>
  byPart({
    name: `statement-lines-${id}`,
    keys: ['state', 'kind'],
    list: async (options) => {
      const { data } = await staffStatementLines({ ...options, path: { statement_id: Number(id) } })
      return { rows: data.lines, total: data.total_count }
    },
    rowKey: ({ position }) => position,
  })

export const statementOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'statements', 'one', id],
    queryFn: async ({ signal }) =>
      (await staffStatement({ path: { statement_id: Number(id) }, signal, throwOnError: true }))
        .data,
    staleTime: 5_000,
  })

/** What each gateway received, returned and paid out. */
export const gatewaySums = () =>
  queryOptions({
    queryKey: ['console', 'reconciliation', 'sums'],
    queryFn: async ({ signal }) => (await staffReconciliation({ signal, throwOnError: true })).data,
    staleTime: 5_000,
  })
