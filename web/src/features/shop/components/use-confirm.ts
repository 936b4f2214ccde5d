import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { shopConfirmOrderMutation } from '@/api/gen/@tanstack/react-query.gen'
import type { OrderItem as Order } from '@/api/gen/types.gen'
import { useGateways } from '@/shared/lib/gateways'
import { newIdempotencyKey } from '@/shared/lib/idempotency-key'
import type { Purchase } from '../quote'

/**
 * Buys: from the balance, or by a recharge of what is missing, whose page it then opens. The key stays the same while
 * the choice does, so that a repeated press buys once.
 */
export function useConfirm({ shopId, renewServiceId }: Purchase, onBought: (order: Order) => void) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const gateways = useGateways()
  const [key] = useState(newIdempotencyKey)
  const order = useMutation({
    ...shopConfirmOrderMutation(),
    onSuccess: async ({ order: placed, recharge }) => {
      if (placed.state === 'pending' && recharge) {
        await navigate({
          to: '/user/wallet/recharge/new',
          search: { id: recharge.no },
        })
        return
      }
      onBought(placed)
      // Plan, balance and statement are other ones now, everywhere.
      await queryClient.invalidateQueries()
    },
  })
  return {
    gateways,
    confirm: (isMissing: boolean) => {
      if (isMissing) gateways.remember()
      order.mutate({
        path: { shop_id: shopId },
        // Another way to pay is another order.
        headers: { 'Idempotency-Key': isMissing ? `${key}-${gateways.chosen}` : key },
        body: {
          ...(renewServiceId && { renew_service_id: renewServiceId }),
          ...(isMissing && gateways.chosen && { gateway: gateways.chosen }),
        },
      })
    },
    problem: order.error,
    // Also while the pay page opens: the button stays as it is.
    isPending: order.isPending || order.isSuccess,
  }
}
