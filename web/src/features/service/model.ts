import type { ServiceItem } from '@/lib/api/gen/types.gen'
import { daysUntil, lastMoment } from '@/lib/time'
import type { Tone } from '@/ui/status-dot'

/** Percent of the cycle's quota that is used; undefined without a limit. */
export function usedPercent({
  used,
  quota,
}: {
  used: number
  quota: number | null
}): number | undefined {
  if (quota === null) return undefined
  return quota === 0 ? 100 : Math.min(100, Math.round((used / quota) * 100))
}

export const barColor = (percent: number) =>
  percent < 80 ? 'tide' : percent < 95 ? 'orange' : 'red'

const SOON_DAYS = 7

type Condition = {
  tone: Tone
  key: 'running' | 'ending' | 'exhausted' | 'suspended' | 'ended'
}

/** The condition of a service in one word, the most urgent first. */
export function conditionOf(service: ServiceItem, now: number, isBanned: boolean): Condition {
  if (service.state === 'ended') return { tone: 'neutral', key: 'ended' }
  if (isBanned) return { tone: 'error', key: 'suspended' }
  if (usedPercent({ used: service.used_bytes, quota: service.quota_bytes }) === 100) {
    return { tone: 'error', key: 'exhausted' }
  }
  if (daysUntil(lastMoment(service.ends_at), now) <= SOON_DAYS && !service.auto_renew) {
    return { tone: 'warning', key: 'ending' }
  }
  return { tone: 'success', key: 'running' }
}
