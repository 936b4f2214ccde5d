import { useTranslation } from 'react-i18next'
import type { CouponItem } from '@/lib/api/gen/staff/types.gen'
import { useNow } from '@/lib/now'
import { StatusDot } from '@/ui/status-dot'

const tones = {
  declined: 'error',
  waits: 'warning',
  changeWaits: 'warning',
  off: 'neutral',
  planned: 'info',
  over: 'neutral',
  usedUp: 'neutral',
  on: 'success',
} as const

function stateOf(coupon: CouponItem, now: number): keyof typeof tones {
  if (coupon.declined) return 'declined'
  if (coupon.waits) return 'waits'
  if (coupon.proposed) return 'changeWaits'
  if (!coupon.enabled) return 'off'
  if (Date.parse(coupon.valid_from) > now) return 'planned'
  if (coupon.valid_to && Date.parse(coupon.valid_to) <= now) return 'over'
  return coupon.total !== null && coupon.taken >= coupon.total ? 'usedUp' : 'on'
}

/** Whether orders may use a coupon now. */
export function CouponState({ coupon }: { coupon: CouponItem }) {
  const { t } = useTranslation('console/coupon')
  const state = stateOf(coupon, useNow())
  return <StatusDot tone={tones[state]}>{t(`state.${state}`)}</StatusDot>
}
