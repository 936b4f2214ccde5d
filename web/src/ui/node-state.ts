import type { NodeInfo } from '@/lib/api/gen/types.gen'
import type { Tone } from './status-dot'

/** The states of a node, the best first. Their names are `nodeState.<state>` of the common texts. */
export const nodeStates = ['online', 'busy', 'full', 'late', 'offline'] as const
export type NodeState = (typeof nodeStates)[number]

const BUSY_PERCENT = 70
const FULL_PERCENT = 90

/** How a node is: by its last sign of life, and while there is one by its load. Every page shows this one. */
export function nodeState({ status, load }: Pick<NodeInfo, 'status' | 'load'>): NodeState {
  if (status !== 'online') return status
  if (load >= FULL_PERCENT) return 'full'
  return load >= BUSY_PERCENT ? 'busy' : 'online'
}

export const nodeTones: Record<NodeState, Tone> = {
  online: 'success',
  busy: 'warning',
  full: 'error',
  late: 'warning',
  offline: 'neutral',
}

/** How many nodes are in each state that any of them is in, the best first. */
export const countNodeStates = (nodes: readonly NodeInfo[]) =>
  nodeStates
    .map((state) => ({ state, count: nodes.filter((node) => nodeState(node) === state).length }))
    .filter(({ count }) => count > 0)
