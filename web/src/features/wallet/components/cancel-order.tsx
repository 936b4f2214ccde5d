import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { orderCancelMutation } from '@/lib/api/gen/@tanstack/react-query.gen'
import { problemText } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'

/** Cancels the order that the payment is for, which releases the held balance, and returns to the shop. */
export function CancelOrder({ orderNo }: { orderNo: number }) {
  const { t } = useTranslation('wallet')
  const { t: common } = useTranslation()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const cancel = useMutation({
    ...orderCancelMutation(),
    onSuccess: async () => {
      await queryClient.invalidateQueries()
      await navigate({ to: '/user/services/buy' })
    },
  })
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        c="dimmed"
        loading={cancel.isPending}
        onClick={() => cancel.mutate({ path: { order_id: String(orderNo) } })}
      >
        {t('pay.cancelOrder')}
      </Button>
      <FormError message={cancel.error ? problemText(cancel.error, common) : undefined} />
    </>
  )
}
