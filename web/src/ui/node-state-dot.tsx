import { useTranslation } from 'react-i18next'
import type { NodeInfo } from '@/lib/api/gen/types.gen'
import { nodeState, type NodeState, nodeTones } from './node-state'
import { StatusDot } from './status-dot'

/** A state of nodes in a word and its colour. */
export function NodeStateDot({ state }: { state: NodeState }) {
  const { t } = useTranslation()
  return <StatusDot tone={nodeTones[state]}>{t(`nodeState.${state}`)}</StatusDot>
}

/** The state of one node. */
export const StateOfNode = ({ node }: { node: Pick<NodeInfo, 'status' | 'load'> }) => (
  <NodeStateDot state={nodeState(node)} />
)
