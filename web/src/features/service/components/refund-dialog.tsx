import { Button, Skeleton, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import * as z from 'zod/mini'
import {
  orderRefundQuoteOptions,
  orderRefundRequestMutation,
  servicesOldBillsOfOptions,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import { orderRefundRequestRules } from '@/lib/api/gen/rules.gen'
import type { PackageItem, ServiceItem } from '@/lib/api/gen/types.gen'
import { useCurrency } from '@/lib/currency'
import { toMinor } from '@/lib/money'
import { resolver } from '@/lib/resolver'
import { showServerProblem } from '@/lib/server-problem'
import { Dialog } from '@/ui/dialog'
import { FormError } from '@/ui/form-error'
import { Loaded } from '@/ui/loaded'
import { Money } from '@/ui/money'
import { reloadRefunds } from '../use-last-requests'

const { minLength, maxLength } = orderRefundRequestRules.reason

/** Shows what a refund of a service or package would bring now, and requests it from staff. */
export function RefundDialog(props: { item: ServiceItem | PackageItem; onClose: () => void }) {
  const { t } = useTranslation('service')
  const { item, onClose } = props
  return (
    <Dialog title={t('refund.title', { name: item.name })} onClose={onClose}>
      {'order_no' in item ? (
        <Offer orderNo={item.order_no} onClose={onClose} />
      ) : (
        <OfferForService serviceId={item.id} onClose={onClose} />
      )}
    </Dialog>
  )
}

/** A refund covers all periods of a service, whichever of its paid orders is named. */
function OfferForService({ serviceId, onClose }: { serviceId: number; onClose: () => void }) {
  const bills = useQuery(servicesOldBillsOfOptions({ path: { service_id: serviceId } }))
  return (
    <Loaded query={bills} skeleton={<Waiting />}>
      {({ bills: orders }) => {
        const paid = orders.find(({ state }) => state === 'paid')
        return <Offer orderNo={paid?.no ?? null} onClose={onClose} />
      }}
    </Loaded>
  )
}

function Offer({ orderNo, onClose }: { orderNo: number | null; onClose: () => void }) {
  const { t } = useTranslation('service')
  return orderNo === null ? (
    <Text>{t('refund.nothing')}</Text>
  ) : (
    <OfferForOrder orderNo={orderNo} onClose={onClose} />
  )
}

function OfferForOrder({ orderNo, onClose }: { orderNo: number; onClose: () => void }) {
  const { t } = useTranslation('service')
  const currency = useCurrency()
  const quote = useQuery({
    ...orderRefundQuoteOptions({ path: { order_id: String(orderNo) } }),
    // The amount decreases over time, so it is never cached.
    staleTime: 0,
    gcTime: 0,
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
              <Money amount={amount} currency={currency} size="figure" />
            </div>
            <Text>{t('refund.consequence')}</Text>
            <RequestForm orderNo={orderNo} onClose={onClose} />
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
  const request = useMutation({
    ...orderRefundRequestMutation(),
    onSuccess: () => reloadRefunds(queryClient),
    // The refund may have been requested before, or by a call whose answer was lost. Nothing waits for the reload, which
    // pauses without a network.
    onError: () => void reloadRefunds(queryClient),
  })
  const form = useForm({
    resolver: resolver(
      z.object({
        reason: z
          .string()
          .check(
            z.trim(),
            z.minLength(minLength, t('refund.reasonMissing')),
            z.maxLength(maxLength, t('refund.reasonLong', { count: maxLength })),
          ),
      }),
    ),
    defaultValues: { reason: '' },
  })
  const { errors, isSubmitting } = form.formState

  const submit = form.handleSubmit(async (body) => {
    try {
      await request.mutateAsync({ path: { order_id: String(orderNo) }, body })
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
