import { Button, type InputWrapperProps, NativeSelect, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { invitePayoutAsk } from '@/lib/api/gen/sdk.gen'
import type { PayoutBody } from '@/lib/api/gen/types.gen'
import { forgetIdempotencyKey, idempotencyKeyFor } from '@/lib/idempotency-key'
import { formatMoney } from '@/lib/money'
import { showServerProblem } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'
import { toast } from '@/ui/toast'
import classes from './commission-card.module.css'

const methods = ['alipay', 'wechat', 'bank', 'usdt', 'other'] as const

/** Hints of different lengths come below the fields, which so stand in one line. */
const wrapperOrder: InputWrapperProps['inputWrapperOrder'] = [
  'label',
  'input',
  'description',
  'error',
]

/** Asks staff to pay released commission to an account outside of the site. */
export function PayoutForm(props: { least: string; currency: string }) {
  const { t, i18n } = useTranslation('invite')
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()
  const form = useForm({
    defaultValues: { amount: '', method: 'alipay' as PayoutBody['method'], account: '' },
  })
  const { errors, isSubmitting } = form.formState
  const submit = form.handleSubmit(async (body) => {
    const intention = `payout-${JSON.stringify(body)}`
    try {
      const headers = { 'Idempotency-Key': idempotencyKeyFor(intention) }
      await invitePayoutAsk({ body, headers, throwOnError: true })
      forgetIdempotencyKey(intention)
      await queryClient.invalidateQueries()
      // The form is gone now, unless as much can be asked for again.
      await toast('success', t('payout.asked'))
    } catch (error) {
      showServerProblem(form, error, common)
    }
  })
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)} noValidate>
      <Text className={classes.wide} fw={600}>
        {t('payout.title')}
      </Text>
      <TextInput
        label={t('payout.amount')}
        inputWrapperOrder={wrapperOrder}
        description={t('payout.least', {
          amount: formatMoney(props.least, props.currency, i18n.language),
        })}
        inputMode="decimal"
        error={errors.amount?.message}
        {...form.register('amount', { required: t('payout.amountNeeded') })}
      />
      <NativeSelect
        label={t('payout.method')}
        inputWrapperOrder={wrapperOrder}
        description={t('payout.methodHint')}
        data={methods.map((value) => ({ value, label: t(`payout.methods.${value}`) }))}
        error={errors.method?.message}
        {...form.register('method')}
      />
      <TextInput
        label={t('payout.account')}
        inputWrapperOrder={wrapperOrder}
        description={t('payout.accountHint')}
        autoComplete="off"
        error={errors.account?.message}
        {...form.register('account', { required: t('payout.accountNeeded') })}
      />
      <div className={classes.wide}>
        <FormError message={errors.root?.message} />
        <Button type="submit" loading={isSubmitting}>
          {t('payout.submit')}
        </Button>
      </div>
    </form>
  )
}
