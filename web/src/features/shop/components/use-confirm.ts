import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { shopConfirmOrderMutation, shopPlansQueryKey } from '@/api/gen/@tanstack/react-query.gen'
import type { OrderItem as Order, PreOrderResult as Quote } from '@/api/gen/types.gen'
import { useGateways } from '@/shared/lib/gateways'
import { forgetIdempotencyKey, idempotencyKeyFor } from '@/shared/lib/idempotency-key'
import { toMinor } from '@/shared/lib/money'
import { type Purchase, wishOf } from '../quote'

/**
 * Buys: from the balance, or by a recharge of what is missing, whose page it then opens. The same purchase by the same
 * way, pressed again, is one purchase; another way to pay is another.
 */
export function useConfirm(
  purchase: Purchase,
  { amount, missing }: Quote,
  autoRenew: boolean,
  onBought: (order: Order) => void,
) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const isMissing = toMinor(missing) > 0
  const gateways = useGateways(isMissing ? { missing } : {})
  const body = {
    ...wishOf(purchase),
    ...(autoRenew && { auto_renew: true }),
    ...(isMissing && gateways.chosen && { gateway: gateways.chosen }),
  }
  const intention = `${purchase.shopId} ${JSON.stringify(body)}`
  const order = useMutation({
    ...shopConfirmOrderMutation(),
    onSuccess: async ({ order: placed, recharge }) => {
      forgetIdempotencyKey(intention)
      if (placed.state === 'pending' && recharge) {
        await navigate({ to: '/user/wallet/recharge/new', search: { id: recharge.no } })
        return
      }
      onBought(placed)
      // Plan, balance and statement are other ones now, everywhere. What was bought is not asked for again: a service
      // that was replaced, or a coupon that is used, has no price any more.
      await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'quote' })
    },
    // What it costs, or whether it can be had, may have changed in the meantime.
    onError: () => {
      void queryClient.invalidateQueries({ queryKey: ['quote'] })
      void queryClient.invalidateQueries({ queryKey: shopPlansQueryKey() })
    },
  })
  return {
    gateways,
    isMissing,
    confirm: () => {
      if (isMissing) gateways.remember()
      order.mutate({
        path: { shop_id: purchase.shopId },
        headers: { 'Idempotency-Key': idempotencyKeyFor(intention) },
        // Not a part of the intention: the same purchase pressed again at another price is still one.
        body: { ...body, expected_amount: amount },
      })
    },
    problem: order.error,
    // Also while the pay page opens: the button stays as it is.
    isPending: order.isPending || order.isSuccess,
  }
}
