import { Button, Skeleton, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import * as z from 'zod/mini'
import {
  orderRefundQuoteOptions,
  orderRefundRequestMutation,
  refundRequestsQueryKey,
  servicesOldBillsOfOptions,
} from '@/api/gen/@tanstack/react-query.gen'
import type { BillItem, ServiceItem } from '@/api/gen/types.gen'
import { toMinor } from '@/shared/lib/money'
import { resolver } from '@/shared/lib/resolver'
import { showServerProblem } from '@/shared/lib/server-problem'
import { Dialog } from '@/shared/ui/dialog'
import { FormError } from '@/shared/ui/form-error'
import { Loaded } from '@/shared/ui/loaded'
import { Money } from '@/shared/ui/money'

const MAX_REASON = 500

/** Says what giving a service back would bring now, and asks staff for it. */
export function RefundDialog({ service, onClose }: { service: ServiceItem; onClose: () => void }) {
  const { t } = useTranslation('service')
  const bills = useQuery(servicesOldBillsOfOptions({ path: { service_id: service.id } }))
  return (
    <Dialog title={t('refund.title', { name: service.name })} onClose={onClose}>
      <Loaded query={bills} skeleton={<Waiting />}>
        {({ bills: orders }) => {
          const last = orders.find(({ state }) => state === 'paid')
          return last ? (
            <Offer order={last} onClose={onClose} />
          ) : (
            <Text>{t('refund.nothing')}</Text>
          )
        }}
      </Loaded>
    </Dialog>
  )
}

/** A service is given back with all its periods, whichever of its orders is named. */
function Offer({ order, onClose }: { order: BillItem; onClose: () => void }) {
  const { t } = useTranslation('service')
  const quote = useQuery({
    ...orderRefundQuoteOptions({ path: { order_id: String(order.no) } }),
    staleTime: 0,
  })
  return (
    <Loaded query={quote} skeleton={<Waiting />}>
      {({ amount }) =>
        toMinor(amount) === 0 ? (
          <Text>{t('refund.nothing')}</Text>
        ) : (
          <Stack gap="md">
            <div>
              <Text c="dimmed">{t('refund.brings')}</Text>
              <Money amount={amount} currency={order.currency} size="figure" />
            </div>
            <Text>{t('refund.consequence')}</Text>
            <RequestForm orderNo={order.no} onClose={onClose} />
          </Stack>
        )
      }
    </Loaded>
  )
}

function RequestForm({ orderNo, onClose }: { orderNo: number; onClose: () => void }) {
  const { t } = useTranslation('service')
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()
  const request = useMutation(orderRefundRequestMutation())
  const form = useForm({
    resolver: resolver(
      z.object({
        reason: z
          .string()
          .check(
            z.trim(),
            z.minLength(1, t('refund.reasonMissing')),
            z.maxLength(MAX_REASON, t('refund.reasonLong', { count: MAX_REASON })),
          ),
      }),
    ),
    defaultValues: { reason: '' },
  })
  const { errors, isSubmitting } = form.formState

  const submit = form.handleSubmit(async (body) => {
    try {
      await request.mutateAsync({ path: { order_id: String(orderNo) }, body })
      await queryClient.invalidateQueries({ queryKey: refundRequestsQueryKey() })
      onClose()
    } catch (error) {
      showServerProblem(form, error, common)
    }
  })

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <Textarea
          label={t('refund.reason')}
          rows={4}
          error={errors.reason?.message}
          {...form.register('reason')}
        />
        <FormError message={errors.root?.message} />
        <Button type="submit" loading={isSubmitting}>
          {t('refund.ask')}
        </Button>
      </Stack>
    </form>
  )
}

function Waiting() {
  return <Skeleton height={220} />
}
