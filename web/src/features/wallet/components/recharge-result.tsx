import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleX, Clock, Undo2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { walletGetOptions } from '@/api/gen/@tanstack/react-query.gen'
import type { RechargeRecord } from '@/api/gen/types.gen'
import { ButtonLink } from '@/shared/ui/button-link'
import { Money } from '@/shared/ui/money'
import { OrderOutcome } from './order-outcome'
import classes from './recharge.module.css'

const icons = { paid: CircleCheck, expired: Clock, failed: CircleX, refunded: Undo2 }

/** What became of a recharge, what that means for the money, and the way on. */
export function RechargeResult({ recharge }: { recharge: RechargeRecord }) {
  const { t } = useTranslation('wallet')
  if (recharge.state === 'pending') return null
  const Icon = icons[recharge.state]
  return (
    <div role="status" className={classes.pay}>
      <Icon
        size={48}
        strokeWidth={1.5}
        aria-hidden="true"
        className={classes.icon}
        data-state={recharge.state}
      />
      <div>
        <Text fw={600} size="lg">
          {t(`result.${recharge.state}`)}
        </Text>
        <Text c="dimmed">
          {recharge.state === 'paid' && recharge.order_no !== null
            ? t('result.paidOrderText')
            : t(`result.${recharge.state}Text`)}
        </Text>
      </div>
      <Money amount={recharge.money_amount} currency={recharge.currency} size="figure" />
      {recharge.state === 'paid' &&
        (recharge.order_no === null ? (
          <BalanceNow />
        ) : (
          <OrderOutcome orderNo={recharge.order_no} />
        ))}
      <Group justify="center">
        <WayOn recharge={recharge} />
      </Group>
    </div>
  )
}

function BalanceNow() {
  const { t } = useTranslation('wallet')
  // Never the balance from before the payment.
  const { data } = useQuery({ ...walletGetOptions(), staleTime: 0, gcTime: 0 })
  if (!data) return null
  return (
    <p className={classes.label}>
      {t('result.balance')}{' '}
      <b>
        <Money amount={data.available} currency={data.currency} />
      </b>
    </p>
  )
}

function WayOn({ recharge: { state, order_no: orderNo } }: { recharge: RechargeRecord }) {
  const { t } = useTranslation('wallet')
  if (state !== 'paid') {
    return (
      <ButtonLink
        to={orderNo === null ? '/user/wallet/recharge/new' : '/user/services/buy'}
        search={{}}
      >
        {t('result.again')}
      </ButtonLink>
    )
  }
  if (orderNo !== null) {
    return <ButtonLink to="/user/dashboard">{t('result.toHome')}</ButtonLink>
  }
  return (
    <>
      <ButtonLink to="/user/services/buy" search={{}}>
        {t('toShop')}
      </ButtonLink>
      <ButtonLink variant="default" to="/user/wallet" search={{}}>
        {t('result.toWallet')}
      </ButtonLink>
    </>
  )
}
