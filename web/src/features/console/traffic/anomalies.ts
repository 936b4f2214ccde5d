import { staffAnomalies } from '@/lib/api/gen/staff/sdk.gen'
import type { Anomaly } from '@/lib/api/gen/staff/types.gen'
import { byPart } from '../parts/resource'

/** What may stand out: the first is what the page begins with. */
export const KINDS = ['user', 'node', 'interface', 'addresses', 'networks'] as const

export type Kind = (typeof KINDS)[number]

export const kindOf = (search: Record<string, string>): Kind =>
  KINDS.find((one) => one === search.kind) ?? 'user'

/** Kinds that are days with bytes; of the others something is counted. */
export const isOfDays = (kind: Kind) => kind === 'user' || kind === 'node' || kind === 'interface'

export const anomalies = byPart<Anomaly>({
  name: 'anomalies',
  keys: ['kind', 'days', 'least'],
  list: async (options) => {
    const { data } = await staffAnomalies(options)
    return { rows: data.rows, total: data.total_count }
  },
  rowKey: ({ user, node, at }) => `${user?.id ?? ''}-${node?.id ?? ''}-${at}`,
})
