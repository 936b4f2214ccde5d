import { Button, Card, Skeleton, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { rechargeCreateMutation } from '@/lib/api/gen/@tanstack/react-query.gen'
import { ApiError } from '@/lib/api/errors'
import { type Site, siteOptions } from '@/lib/api/site'
import { useGateways } from '@/lib/gateways'
import { forgetIdempotencyKey, idempotencyKeyFor } from '@/lib/idempotency-key'
import { formatMoney } from '@/lib/money'
import { openPayPage } from '@/lib/open-pay-page'
import { announcePaymentResult, usePaymentResult } from '@/lib/payment-result'
import { problemText } from '@/lib/server-problem'
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
      forgetIdempotencyKey(intentionOf(recharge.money_amount, body.gateway))
      announcePaymentResult({
        intention: intentionOf(recharge.money_amount, body.gateway),
        rechargeNo: recharge.no,
      })
      await navigate({ search: { id: recharge.no } })
      openPayPage(recharge)
    },
  })
  usePaymentResult(intention, ({ rechargeNo }) => void navigate({ search: { id: rechargeNo } }))
  const { error } = begin
  const wrongAmount =
    error instanceof ApiError ? error.fields.find(({ field }) => field === 'amount') : undefined
  return {
    isBusy: begin.isPending || begin.isSuccess,
    amountError: wrongAmount?.message,
    error: wrongAmount ? null : error,
    reset: begin.reset,
    // The key makes the same amount and gateway one recharge, however often the button is pressed.
    begin: (amount: string, gateway: string) =>
      begin.mutate({
        body: { amount, gateway },
        headers: { 'Idempotency-Key': idempotencyKeyFor(intentionOf(amount, gateway)) },
      }),
  }
}

/** The typed amount, its problem, and its price with the chosen gateway once the server has answered. */
function useAmount(site: Site) {
  const { currency, recharge } = site
  const { t, i18n } = useTranslation('wallet')
  const { amount: again } = route.useSearch()
  const [typed, type] = useState(() => startAmount(site, again))
  const [isTouched, setTouched] = useState(false)
  const problem = amountProblem(typed, recharge.min, recharge.max)
  const amount = problem ? undefined : normalAmount(typed)
  const [settled] = useDebouncedValue(amount, TYPING_MS)
  const gateways = useGateways(settled === undefined ? {} : { amount: settled })
  const show = (sum: string) => formatMoney(sum, currency, i18n.language)
  const limits = { min: show(recharge.min), max: show(recharge.max) }
  return {
    typed,
    type,
    touch: () => setTouched(true),
    problem: isTouched && problem ? t(`new.problem.${problem}`, limits) : undefined,
    range: t('new.range', limits),
    amount,
    gateways,
    charge: amount !== undefined && settled === amount ? gateways.charge : undefined,
    show,
  }
}

function Form({ site }: { site: Site }) {
  const { t, i18n } = useTranslation('wallet')
  const { t: common } = useTranslation()
  const { typed, type, touch, problem, range, amount, gateways, charge, show } = useAmount(site)
  const { begin, reset, error, amountError, isBusy } = useBegin(
    intentionOf(amount ?? '', gateways.chosen ?? ''),
  )
  const change = (value: string) => {
    type(value)
    reset()
  }
  return (
    <FormColumn beside={<RechargeSummary charge={charge} />}>
      <Card
        component="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          touch()
          if (amount === undefined || !charge || !gateways.chosen) return
          gateways.remember()
          begin(amount, gateways.chosen)
        }}
      >
        <AmountField
          presets={site.recharge.presets}
          show={show}
          typed={typed}
          onChange={change}
          onBlur={touch}
          range={range}
          problem={problem ?? amountError}
        />
        <GatewayChoice {...gateways} />
        <FormError message={error ? problemText(error, common) : undefined} />
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
      </Card>
    </FormColumn>
  )
}

function AmountField(props: {
  presets: readonly string[]
  show: (amount: string) => string
  typed: string
  onChange: (amount: string) => void
  onBlur: () => void
  range: string
  problem: string | undefined
}) {
  const { t } = useTranslation('wallet')
  return (
    <>
      <AmountPresets
        amounts={props.presets}
        value={props.typed}
        show={props.show}
        onChange={props.onChange}
      />
      <TextInput
        mt="md"
        label={t('new.own')}
        description={props.range}
        inputMode="decimal"
        autoComplete="off"
        value={props.typed}
        onChange={({ currentTarget: { value } }) =>
          props.onChange(value.normalize('NFKC').replace(/[,。]/, '.'))
        }
        onBlur={props.onBlur}
        error={props.problem}
      />
    </>
  )
}
