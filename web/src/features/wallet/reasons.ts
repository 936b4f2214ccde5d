import type { MovementItem } from '@/lib/api/gen/types.gen'

/** Every reason of the contract, in the order in which the filter offers them. */
const order: Record<MovementItem['reason'], number> = {
  recharge: 1,
  purchase: 2,
  plan_change: 3,
  refund: 4,
  gateway_refund: 5,
  cd_key: 6,
  commission_withdrawal: 7,
  invite_purchase: 8,
  adjustment: 9,
  payment_case: 10,
  account_merge: 11,
}

/** The reasons that the statement can be filtered by. The compiler finds a missing one. */
export const movementReasons = (Object.keys(order) as MovementItem['reason'][]).toSorted(
  (a, b) => order[a] - order[b],
)
