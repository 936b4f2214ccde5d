import { Button, Card, Skeleton, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Ref } from 'react'
import { Controller, useForm, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { rechargeCreateMutation } from '@/lib/api/gen/@tanstack/react-query.gen'
import { type Site, siteOptions } from '@/lib/api/site'
import { useGateways } from '@/lib/gateways'
import { forgetIdempotencyKey, idempotencyKeyFor } from '@/lib/idempotency-key'
import { formatMoney } from '@/lib/money'
import { openPayPage } from '@/lib/open-pay-page'
import { announcePaymentResult, usePaymentResult } from '@/lib/payment-result'
import { showServerProblem } from '@/lib/server-problem'
import { useOnce } from '@/lib/use-once'
import { FormColumn } from '@/ui/form-column'
import { FormError } from '@/ui/form-error'
import { GatewayChoice } from '@/ui/gateway-choice'
import { Loaded } from '@/ui/loaded'
import { amountProblem, normalAmount } from '../model'
import { startAmount } from '../recharge-start'
import { AmountPresets } from './amount-presets'
import { RechargeSummary } from './recharge-summary'
import { WaitingRecharge } from './waiting-recharge'

const route = getRouteApi('/user/wallet/recharge/new')
const TYPING_MS = 300

export function RechargeForm() {
  const site = useQuery(siteOptions())
  return (
    <>
      <WaitingRecharge />
      <Loaded
        query={site}
        skeleton={
          <FormColumn>
            <Skeleton height={520} radius="lg" />
          </FormColumn>
        }
        hasCards
      >
        {(found) => <Form site={found} />}
      </Loaded>
    </>
  )
}

const intentionOf = (amount: string, gateway: string) => `recharge-${amount}-${gateway}`

function useBegin(intention: string) {
  const navigate = route.useNavigate()
  const begin = useMutation({
    ...rechargeCreateMutation(),
    onSuccess: async (recharge, { body }) => {
      const paid = intentionOf(recharge.money_amount, body.gateway)
      forgetIdempotencyKey(paid)
      announcePaymentResult({ intention: paid, rechargeNo: recharge.no })
      await navigate({ search: { id: recharge.no } })
      openPayPage(recharge)
    },
  })
  usePaymentResult(intention, ({ rechargeNo }) => void navigate({ search: { id: rechargeNo } }))
  return {
    isBusy: begin.isPending || begin.isSuccess,
    // The key makes the same amount and gateway one recharge, however often the button is pressed.
    begin: (amount: string, gateway: string) =>
      begin.mutateAsync({
        body: { amount, gateway },
        headers: { 'Idempotency-Key': idempotencyKeyFor(intentionOf(amount, gateway)) },
      }),
  }
}

/** The form with its rules: the notation of the contract, and the limits of the site. */
function useRechargeForm(site: Site) {
  const { currency, recharge } = site
  const { t, i18n } = useTranslation('wallet')
  const { amount: again } = route.useSearch()
  const show = (sum: string) => formatMoney(sum, currency, i18n.language)
  const limits = { min: show(recharge.min), max: show(recharge.max) }
  const form = useForm({ defaultValues: { amount: startAmount(site, again) }, mode: 'onTouched' })
  const problemOf = (typed: string) => amountProblem(typed, recharge.min, recharge.max)
  const validate = (typed: string) => {
    const problem = problemOf(typed)
    return problem ? t(`new.problem.${problem}`, limits) : true
  }
  return { form, show, range: t('new.range', limits), problemOf, validate }
}

/** The price of the typed amount with the chosen gateway, once the server has answered. */
function useCharge(typed: string, isValid: boolean) {
  const amount = isValid ? normalAmount(typed) : undefined
  const [settled] = useDebouncedValue(amount, TYPING_MS)
  const gateways = useGateways(settled === undefined ? {} : { amount: settled })
  const charge = amount !== undefined && settled === amount ? gateways.charge : undefined
  return { amount, gateways, charge }
}

function Form({ site }: { site: Site }) {
  const { t, i18n } = useTranslation('wallet')
  const { t: common } = useTranslation()
  const { form, show, range, problemOf, validate } = useRechargeForm(site)
  const typed = useWatch({ control: form.control, name: 'amount' })
  const { amount, gateways, charge } = useCharge(typed, problemOf(typed) === undefined)
  const { begin, isBusy } = useBegin(intentionOf(amount ?? '', gateways.chosen ?? ''))
  const submit = useOnce(
    form.handleSubmit(async () => {
      if (amount === undefined || !charge || !gateways.chosen) return
      gateways.remember()
      try {
        await begin(amount, gateways.chosen)
      } catch (error) {
        showServerProblem(form, error, common)
      }
    }),
  )
  return (
    <FormColumn beside={<RechargeSummary charge={charge} />}>
      <Card component="form" noValidate onSubmit={(event) => void submit(event)}>
        <Controller
          name="amount"
          control={form.control}
          rules={{ validate }}
          render={({ field, fieldState }) => (
            <AmountField
              {...field}
              onChange={(value) => {
                field.onChange(value)
                form.clearErrors('root')
              }}
              presets={site.recharge.presets}
              show={show}
              range={range}
              error={fieldState.error?.message}
            />
          )}
        />
        <GatewayChoice {...gateways} />
        <Button
          type="submit"
          fullWidth
          mt="lg"
          loading={isBusy}
          disabled={amount !== undefined && !charge}
        >
          {charge
            ? t('new.payAmount', {
                amount: formatMoney(charge.pay_amount, charge.pay_currency, i18n.language),
              })
            : t('new.pay')}
        </Button>
        {/* At the end, where it moves nothing that is in use. */}
        <FormError message={form.formState.errors.root?.message} />
      </Card>
    </FormColumn>
  )
}

function AmountField(props: {
  ref: Ref<HTMLInputElement>
  name: string
  value: string
  onChange: (amount: string) => void
  onBlur: () => void
  presets: readonly string[]
  show: (amount: string) => string
  range: string
  error: string | undefined
}) {
  const { t } = useTranslation('wallet')
  const { presets, show, range, onChange, ...field } = props
  return (
    <>
      <AmountPresets amounts={presets} value={field.value} show={show} onChange={onChange} />
      <TextInput
        mt="md"
        label={t('new.own')}
        description={range}
        inputMode="decimal"
        autoComplete="off"
        {...field}
        onChange={({ currentTarget: { value } }) =>
          onChange(value.normalize('NFKC').replace(/[,。]/, '.'))
        }
      />
    </>
  )
}
