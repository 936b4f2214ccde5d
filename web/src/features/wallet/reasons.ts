import type { MovementItem } from '@/api/gen/types.gen'

/** Why money moves, as the statement can be filtered by. */
export const movementReasons = [
  'recharge',
  'purchase',
  'plan_change',
  'refund',
  'gateway_refund',
  'cd_key',
  'commission_withdrawal',
  'invite_purchase',
  'adjustment',
  'payment_case',
] as const satisfies MovementItem['reason'][]
