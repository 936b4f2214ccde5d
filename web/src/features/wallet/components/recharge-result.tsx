import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, Clock, Undo2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { walletGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { OrderItem as Order, RechargeRecord } from '@/lib/api/gen/types.gen'
import { OrderDone } from '@/ui/connect/order-done'
import { useFocusFromGone } from '@/lib/focus-heading'
import { useIsBanned } from '@/ui/ban-notice'
import { ButtonLink } from '@/ui/button-link'
import { Money } from '@/ui/money'
import { StatusDot } from '@/ui/status-dot'
import { OrderAgain } from './order-again'
import classes from './recharge.module.css'

const icons = { paid: CircleCheck, expired: Clock, failed: CircleAlert, refunded: Undo2 }

const tones = {
  pending: 'info',
  paid: 'success',
  cancelled: 'warning',
  expired: 'warning',
  refunded: 'warning',
} as const

/** The result of a recharge, what it means for the money and for its order, and the next step. */
export function RechargeResult({ recharge }: { recharge: RechargeRecord }) {
  const { t } = useTranslation('wallet')
  const { state, order } = recharge
  useFocusFromGone()
  if (state === 'pending') return null
  if (state === 'paid' && order?.state === 'paid') return <OrderDone order={order} />
  const Icon = icons[state]
  return (
    <div className={classes.pay}>
      <Icon
        size={48}
        strokeWidth={1.5}
        aria-hidden="true"
        className={classes.icon}
        data-state={state}
      />
      <div role="status">
        <Text fw={600} size="lg">
          {t(`result.${state}`)}
        </Text>
        <Text c="dimmed">{t(`result.${state}Text`)}</Text>
        {state === 'paid' && order && (
          <StatusDot tone={tones[order.state]}>
            {t(`order.${order.state}`, { name: order.name })}
          </StatusDot>
        )}
      </div>
      <Money amount={recharge.money_amount} currency={recharge.currency} size="figure" />
      {state === 'paid' && <BalanceNow />}
      <Group justify="center">
        <NextStep recharge={recharge} />
      </Group>
    </div>
  )
}

function BalanceNow() {
  const { t } = useTranslation('wallet')
  // The cache may hold the balance from before the payment.
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

/** Reports whether the order was not completed and can be repeated. */
const isRepeatable = ({ state }: Order) => state !== 'paid' && state !== 'refunded'

function NextStep({
  recharge: { state, order, money_amount: amount },
}: {
  recharge: RechargeRecord
}) {
  const { t } = useTranslation('wallet')
  const isBanned = useIsBanned()
  if (isBanned) return <ToWallet />
  if (order && isRepeatable(order) && (state !== 'paid' || order.state !== 'pending')) {
    return (
      <OrderAgain order={order}>
        {t(state === 'paid' ? 'result.buyAgain' : 'result.payAgain')}
      </OrderAgain>
    )
  }
  if (state !== 'paid' && !order) {
    return (
      <ButtonLink to="/user/wallet/recharge/new" search={{ amount }}>
        {t('result.payAgain')}
      </ButtonLink>
    )
  }
  return (
    <>
      {!order && (
        <ButtonLink to="/user/services/buy" search={{}}>
          {t('toShop')}
        </ButtonLink>
      )}
      <ToWallet />
    </>
  )
}

function ToWallet() {
  const { t } = useTranslation('wallet')
  return (
    <ButtonLink variant="default" to="/user/wallet" search={{}}>
      {t('result.toWallet')}
    </ButtonLink>
  )
}
