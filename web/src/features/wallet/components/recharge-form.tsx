import { Button, Card, Chip, Skeleton, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { rechargeCreateMutation } from '@/api/gen/@tanstack/react-query.gen'
import { type Site, siteOptions } from '@/api/site'
import { useGateways } from '@/shared/lib/gateways'
import { newIdempotencyKey } from '@/shared/lib/idempotency-key'
import { formatMoney } from '@/shared/lib/money'
import { problemText } from '@/shared/lib/server-problem'
import { FormError } from '@/shared/ui/form-error'
import { GatewayChoice } from '@/shared/ui/gateway-choice'
import { Loaded } from '@/shared/ui/loaded'
import { amountProblem, normalAmount } from '../model'
import { BalanceAfter } from './balance-after'
import classes from './recharge.module.css'

const route = getRouteApi('/user/wallet/recharge/new')

export function RechargeForm() {
  const site = useQuery(siteOptions())
  return (
    <Loaded query={site} skeleton={<Skeleton height={520} maw={480} radius="lg" />} hasCards>
      {(found) => <Form site={found} />}
    </Loaded>
  )
}

function useBegin() {
  const navigate = route.useNavigate()
  const [key] = useState(newIdempotencyKey)
  const begin = useMutation({
    ...rechargeCreateMutation(),
    onSuccess: (recharge) => navigate({ search: { id: recharge.no } }),
  })
  return {
    ...begin,
    // The same amount and way to pay, pressed twice, is one recharge.
    begin: (amount: string, gateway: string) =>
      begin.mutate({
        body: { amount, gateway },
        headers: { 'Idempotency-Key': `${key}-${amount}-${gateway}` },
      }),
  }
}

function Form({ site: { currency, recharge } }: { site: Site }) {
  const { t, i18n } = useTranslation('wallet')
  const { t: common } = useTranslation()
  const gateways = useGateways()
  const { begin, error, isPending, isSuccess } = useBegin()
  const [typed, setTyped] = useState(recharge.presets[1] ?? recharge.presets[0] ?? '')
  const [isTouched, setTouched] = useState(false)
  const show = (amount: string) => formatMoney(amount, currency, i18n.language)
  const problem = amountProblem(typed, recharge.min, recharge.max)

  return (
    <div className={classes.columns}>
      <Card
        component="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          setTouched(true)
          if (problem || !gateways.chosen) return
          gateways.remember()
          begin(normalAmount(typed), gateways.chosen)
        }}
      >
        <Presets amounts={recharge.presets} value={typed} show={show} onChange={setTyped} />
        <TextInput
          mt="md"
          label={t('new.own')}
          description={t('new.range', { min: show(recharge.min), max: show(recharge.max) })}
          inputMode="decimal"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value.replace(/[,，。]/, '.'))}
          onBlur={() => setTouched(true)}
          error={
            isTouched &&
            problem &&
            t(`new.problem.${problem}`, { min: show(recharge.min), max: show(recharge.max) })
          }
        />
        <GatewayChoice {...gateways} />
        <FormError message={error ? problemText(error, common) : undefined} />
        <Button
          type="submit"
          fullWidth
          mt="lg"
          loading={isPending || isSuccess}
          disabled={!gateways.chosen}
        >
          {problem ? t('new.pay') : t('new.payAmount', { amount: show(typed) })}
        </Button>
      </Card>
      <BalanceAfter adding={problem ? undefined : normalAmount(typed)} />
    </div>
  )
}

function Presets(props: {
  amounts: readonly string[]
  value: string
  show: (amount: string) => string
  onChange: (amount: string) => void
}) {
  const { t } = useTranslation('wallet')
  return (
    <Chip.Group value={props.value} onChange={props.onChange}>
      <div role="group" aria-label={t('new.presets')} className={classes.presets}>
        {props.amounts.map((amount) => (
          <Chip key={amount} value={amount} size="lg" radius="md" variant="outline" icon={null}>
            {props.show(amount)}
          </Chip>
        ))}
      </div>
    </Chip.Group>
  )
}
