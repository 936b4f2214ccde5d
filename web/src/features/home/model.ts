import type { Access, NodeInfo } from '@/lib/api/gen/types.gen'
import { nodeState } from '@/ui/node-state'
import { daysUntil, hoursUntil, lastMoment } from '@/lib/time'
import type { Tone } from '@/ui/status-dot'

export const stateTones: Record<ConnectionState, Tone> = {
  active: 'success',
  none: 'neutral',
  exhausted: 'error',
  expired: 'error',
  banned: 'error',
  nodesOffline: 'error',
  noNodes: 'warning',
}

/** How much of the quota is used, in percent from 0 to 100; none without a limit. */
export function usedPercent({ quota_bytes: quota, used_bytes: used }: Access): number | undefined {
  if (quota === null) return undefined
  return quota === 0 ? 0 : Math.min(100, Math.round((used / quota) * 100))
}

export type Notice = {
  tone: 'warning' | 'error'
  key: 'expired' | 'exhausted' | 'lastHours' | 'lastDays' | 'nearlyUsed'
  count: number
  /** The one thing to do about it. */
  action: 'buyPackage' | 'renew'
}

/** What is wrong with the quota or the time, or soon will be: at 80, 95 and 100 % of the quota, and 7, 3 and 1 days before the end. */
export function noticeOf(access: Access, now: number): Notice | undefined {
  if (access.state === 'expired')
    return { tone: 'error', key: 'expired', count: 0, action: 'renew' }
  if (access.state === 'exhausted')
    return { tone: 'error', key: 'exhausted', count: 100, action: 'buyPackage' }
  if (access.state === 'none' || access.state === 'banned') return undefined
  return endNotice(access, now) ?? quotaNotice(access)
}

function endNotice({ expires_at: end }: Access, now: number): Notice | undefined {
  if (!end) return undefined
  const hours = hoursUntil(end, now)
  if (hours <= 24) return { tone: 'error', key: 'lastHours', count: hours, action: 'renew' }
  const days = daysUntil(lastMoment(end), now)
  if (days > 7) return undefined
  return { tone: days <= 3 ? 'error' : 'warning', key: 'lastDays', count: days, action: 'renew' }
}

function quotaNotice(access: Access): Notice | undefined {
  const percent = usedPercent(access) ?? 0
  if (percent < 80) return undefined
  return {
    tone: percent < 95 ? 'warning' : 'error',
    key: 'nearlyUsed',
    count: percent,
    action: 'buyPackage',
  }
}

/** How the connection is as a whole: a plan that may be used has nothing to connect to while its nodes are offline. */
export type ConnectionState = Access['state'] | 'nodesOffline' | 'noNodes'

/**
 * The state by the plan, and where that is usable by its nodes; `nodes` is undefined where they are unknown. Traffic
 * without a plan, as a check-in gives it, is `none` where it opens no node.
 */
export function connectionState(
  { state, expires_at: planEnd }: Pick<Access, 'state' | 'expires_at'>,
  nodes: readonly NodeInfo[] | undefined,
): ConnectionState {
  if (state !== 'active' || !nodes) return state
  if (nodes.length === 0) return planEnd === null ? 'none' : 'noNodes'
  return countOffline(nodes) === nodes.length ? 'nodesOffline' : state
}

export const countOffline = (nodes: readonly NodeInfo[]) =>
  nodes.filter((node) => nodeState(node) === 'offline').length

export type Step = 'buy' | 'import'

/** What a newcomer still has to do, until a client has fetched the link for the first time or traffic has flowed. */
export function firstStep(
  access: Access,
  nodes: readonly NodeInfo[] | undefined,
  lastFetch: string | null | undefined,
): Step | undefined {
  if (connectionState(access, nodes) === 'none') return 'buy'
  const isNew = lastFetch === null && access.used_bytes === 0
  return access.state === 'active' && isNew ? 'import' : undefined
}
