import type { OrderItem as Order } from '@/lib/api/gen/types.gen'

/** The shop's address for buying the same once more: what was chosen, and the order that it was chosen for. */
export const orderSearch = (order: Order) => ({
  kind: order.kind === 'package' ? ('package' as const) : ('plan' as const),
  plan: order.plan_id,
  months: order.months > 0 ? order.months : undefined,
  renew: order.renew_service_id ?? undefined,
  change: order.change_service_id ?? undefined,
  coupon: order.coupon === '' ? undefined : order.coupon,
  again: order.no,
})
