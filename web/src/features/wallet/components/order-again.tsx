import { Button, type ButtonProps } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { orderCancel } from '@/lib/api/gen/sdk.gen'
import type { OrderItem as Order } from '@/lib/api/gen/types.gen'
import { ApiError } from '@/lib/api/errors'
import { useTranslation } from 'react-i18next'
import { orderSearch } from '@/lib/order-search'
import { problemText } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'

/**
 * Returns to the shop with the same plan, period and coupon. A pending order is cancelled first, or it would keep the
 * coupon and the last item in stock. An order that was paid meanwhile is shown as paid.
 */
export function OrderAgain(props: ButtonProps & { order: Order; children: string }) {
  const { order, children, ...button } = props
  const { t: common } = useTranslation()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const toShop = async () => {
    await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'recharge' })
    await navigate({ to: '/user/services/buy', search: orderSearch(order) })
  }
  const cancel = useMutation({
    mutationFn: () => orderCancel({ path: { order_id: String(order.no) }, throwOnError: true }),
    onSuccess: toShop,
    onError: () => queryClient.invalidateQueries({ queryKey: ['recharge'] }),
  })
  const start = () => (order.state === 'pending' ? cancel.mutate() : void toShop())
  const isPaidMeanwhile =
    cancel.error instanceof ApiError && cancel.error.code === 'order_not_pending'
  return (
    <>
      <Button {...button} loading={cancel.isPending} onClick={start}>
        {children}
      </Button>
      <FormError
        message={cancel.error && !isPaidMeanwhile ? problemText(cancel.error, common) : undefined}
      />
    </>
  )
}
