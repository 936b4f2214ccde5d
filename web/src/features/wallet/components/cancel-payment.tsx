import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { orderCancel, rechargeCancel } from '@/lib/api/gen/sdk.gen'
import type { RechargeRecord } from '@/lib/api/gen/types.gen'
import { problemText } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'

/**
 * Cancels the order that the payment is for, which releases the held balance, and returns to the shop; or a recharge
 * that is for the balance alone, and returns to the wallet.
 */
export function CancelPayment({ recharge: { no, order } }: { recharge: RechargeRecord }) {
  const { t } = useTranslation('wallet')
  const { t: common } = useTranslation()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const cancel = useMutation({
    mutationFn: (): Promise<unknown> =>
      order
        ? orderCancel({ path: { order_id: String(order.no) }, throwOnError: true })
        : rechargeCancel({ path: { recharge_id: String(no) }, throwOnError: true }),
    onSuccess: async () => {
      await queryClient.invalidateQueries()
      await navigate({ to: order ? '/user/services/buy' : '/user/wallet' })
    },
  })
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        c="dimmed"
        loading={cancel.isPending}
        onClick={() => cancel.mutate()}
      >
        {t(order ? 'pay.cancelOrder' : 'pay.cancel')}
      </Button>
      <FormError message={cancel.error ? problemText(cancel.error, common) : undefined} />
    </>
  )
}
