import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  orderGetQueryKey,
  rechargeListQueryKey,
  servicesListQueryKey,
  shopConfirmOrderMutation,
  shopPlansQueryKey,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import { ApiError } from '@/lib/api/errors'
import type { PreOrderResult as Quote, ShopConfirmOrderData } from '@/lib/api/gen/types.gen'
import { useGateways } from '@/lib/gateways'
import { forgetIdempotencyKey, idempotencyKeyFor } from '@/lib/idempotency-key'
import { toMinor } from '@/lib/money'
import { announcePaymentResult, usePaymentResult } from '@/lib/payment-result'
import { openPayPage } from '@/lib/open-pay-page'
import { type Purchase, wishOf } from '../quote'

type Sent = Pick<ShopConfirmOrderData, 'path' | 'body'>

/** The price is no part of it: the same purchase pressed again at another price is still one. */
const intentionOf = ({ path, body }: Sent) =>
  `${path.shop_id} ${JSON.stringify({ ...body, expected_amount: undefined })}`

const isPassing = (error: Error | null) => error instanceof ApiError && error.isPassing

/** What may have changed where a purchase is refused: what it costs, whether it can be had, what it is for. */
const refusalKeys = [['quote'], shopPlansQueryKey(), servicesListQueryKey()]

/** Sends a purchase, and does what its answer asks for, also that of another tab to the same purchase. */
function useOrder(purchase: Purchase, onBought: (orderNo: number) => Promise<void>) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const intention = `${purchase.shopId} ${JSON.stringify(wishOf(purchase))}`
  const invalidate = () =>
    queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'quote' })
  usePaymentResult(intention, ({ orderNo, rechargeNo }) => {
    void invalidate()
    if (orderNo !== undefined) void onBought(orderNo)
    if (rechargeNo !== undefined) {
      void navigate({ to: '/user/wallet/recharge/new', search: { id: rechargeNo } })
    }
  })
  return useMutation({
    ...shopConfirmOrderMutation(),
    onSuccess: async ({ order: placed, recharge }, sent) => {
      forgetIdempotencyKey(intentionOf(sent))
      if (placed.state === 'pending' && recharge) {
        announcePaymentResult({ intention, rechargeNo: recharge.no })
        // First to our page of it, to which the way back from the provider leads.
        await navigate({ to: '/user/wallet/recharge/new', search: { id: recharge.no } })
        openPayPage(recharge)
        return
      }
      announcePaymentResult({ intention, orderNo: placed.no })
      const orderKey = orderGetQueryKey({ path: { order_id: String(placed.no) } })
      queryClient.setQueryData(orderKey, { order: placed })
      await onBought(placed.no)
      // Plan, balance and statement are other ones now, everywhere. What was bought is not asked for again: a service
      // that was replaced, or a coupon that is used, has no price any more.
      await invalidate()
    },
    onError: (error, sent) => {
      // Before the page was loaded anew it was bought at another price. Who has read so, and buys, buys once more.
      if (error instanceof ApiError && error.code === 'idempotency_key_reused') {
        forgetIdempotencyKey(intentionOf(sent))
      }
      // It may have been ordered all the same: what was agreed to stays in sight.
      const keys = isPassing(error) ? [rechargeListQueryKey()] : refusalKeys
      // Fetched while a dialog says what was refused, it would take the dialog away with the service it is about.
      const refetchType = sent.body?.change_service_id ? 'none' : 'active'
      for (const queryKey of keys) void queryClient.invalidateQueries({ queryKey, refetchType })
    },
  })
}

/**
 * Buys: from the balance, or by a recharge of what is missing, whose page it then opens. The same purchase by the same
 * way, pressed again, is one purchase; another way to pay is another. Where no answer came, the very same is asked again.
 */
export function useConfirm(
  purchase: Purchase,
  { amount, missing }: Quote,
  autoRenew: boolean,
  onBought: (orderNo: number) => Promise<void>,
) {
  const isMissing = toMinor(missing) > 0
  const gateways = useGateways(isMissing ? { missing } : {})
  const wish = { ...wishOf(purchase), ...(autoRenew && { auto_renew: true }) }
  const gateway = isMissing ? gateways.chosen : undefined
  const order = useOrder(purchase, onBought)
  const queryClient = useQueryClient()
  const bought = {
    path: { shop_id: purchase.shopId },
    body: { ...wish, ...(gateway && { gateway }) },
  }
  /** What was sent and not answered, where this is the same purchase: by the balance from before it, if need be. */
  const unanswered = () => {
    const sent = order.variables
    if (!sent || !isPassing(order.error)) return undefined
    const { gateway: by } = { ...sent.body }
    const isOther = by !== undefined && gateway !== undefined && by !== gateway
    const sentWish = intentionOf({ ...sent, body: { ...sent.body, gateway: undefined } })
    return !isOther && sentWish === intentionOf({ ...bought, body: wish }) ? sent : undefined
  }
  const next = () => {
    if (isMissing) gateways.remember()
    return (
      unanswered() ?? {
        ...bought,
        headers: { 'Idempotency-Key': idempotencyKeyFor(intentionOf(bought)) },
        body: { ...bought.body, expected_amount: amount },
      }
    )
  }
  return {
    gateways,
    isMissing,
    confirm: () => order.mutate(next()),
    /** The same for one who waits for the answer. */
    confirmed: () => order.mutateAsync(next()),
    /** Fetches what a refusal that was read in a dialog has made stale. */
    lookAgain: () => {
      if (!order.error || isPassing(order.error)) return
      for (const queryKey of refusalKeys)
        void queryClient.refetchQueries({ queryKey, type: 'active' })
    },
    problem: order.error,
    // Also while the pay page opens: the button stays as it is.
    isPending: order.isPending || order.isSuccess,
  }
}
