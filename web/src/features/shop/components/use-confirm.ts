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
import { type Purchase, purchaseBody } from '../quote'

type Sent = Pick<ShopConfirmOrderData, 'path' | 'body'>

/** Identifies a purchase. The price is not part of it: the same purchase at another price is still the same. */
const intentionOf = ({ path, body }: Sent) =>
  `${path.shop_id} ${JSON.stringify({ ...body, expected_amount: undefined })}`

const isPassing = (error: Error | null) => error instanceof ApiError && error.isPassing

/** What may be stale after a refused purchase: its quote, the plans on sale, and the user's services. */
const refusalKeys = [['quote'], shopPlansQueryKey(), servicesListQueryKey()]

/** Sends a purchase and follows its answer, and the answer that another tab received to the same purchase. */
function useOrder(purchase: Purchase, onBought: (orderNo: number) => Promise<void>) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const intention = `${purchase.shopId} ${JSON.stringify(purchaseBody(purchase))}`
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
        // Our page of the recharge comes first: the browser's back button leads from the provider to it.
        await navigate({ to: '/user/wallet/recharge/new', search: { id: recharge.no } })
        openPayPage(recharge)
        return
      }
      announcePaymentResult({ intention, orderNo: placed.no })
      const orderKey = orderGetQueryKey({ path: { order_id: String(placed.no) } })
      queryClient.setQueryData(orderKey, { order: placed })
      await onBought(placed.no)
      // Services, balance and statement have changed. Quotes are left alone: a replaced service or a used coupon has no
      // price any more.
      await invalidate()
    },
    onError: (error, sent) => {
      // It was bought at another price before the page was reloaded. Buying after this message is a new purchase.
      if (error instanceof ApiError && error.code === 'idempotency_key_reused') {
        forgetIdempotencyKey(intentionOf(sent))
      }
      // The order may exist although no answer came, so the agreed quote stays visible.
      const keys = isPassing(error) ? [rechargeListQueryKey()] : refusalKeys
      // A refetch while the dialog shows the refusal would unmount the dialog together with its service.
      const refetchType = sent.body?.change_service_id ? 'none' : 'active'
      for (const queryKey of keys) void queryClient.invalidateQueries({ queryKey, refetchType })
    },
  })
}

/**
 * Buys from the balance, or creates a recharge of the missing amount and opens its payment page. Repeating the same
 * purchase with the same gateway is one purchase; another gateway makes another one. If no answer came, the identical
 * request is sent again.
 */
export function useConfirm(
  purchase: Purchase,
  { amount, missing }: Quote,
  autoRenew: boolean,
  onBought: (orderNo: number) => Promise<void>,
) {
  const isMissing = toMinor(missing) > 0
  const gateways = useGateways(isMissing ? { missing } : {})
  const wish = { ...purchaseBody(purchase), ...(autoRenew && { auto_renew: true }) }
  const gateway = isMissing ? gateways.chosen : undefined
  const order = useOrder(purchase, onBought)
  const queryClient = useQueryClient()
  const bought = {
    path: { shop_id: purchase.shopId },
    body: { ...wish, ...(gateway && { gateway }) },
  }
  /** The unanswered request if it was for the same purchase, even if the balance has changed the way to pay since. */
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
    /** Like confirm, for callers that wait for the answer. */
    confirmed: () => order.mutateAsync(next()),
    /** Refetches what a refusal made stale, once its dialog is closed. */
    refetchRefused: () => {
      if (!order.error || isPassing(order.error)) return
      for (const queryKey of refusalKeys)
        void queryClient.refetchQueries({ queryKey, type: 'active' })
    },
    problem: order.error,
    // Stays true while the payment page opens.
    isPending: order.isPending || order.isSuccess,
  }
}
