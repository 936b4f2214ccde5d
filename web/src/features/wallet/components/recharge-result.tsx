import { Group, Text } from '@mantine/core'
import { CircleCheck, CircleX, Clock, Undo2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
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
  const isForOrder = recharge.order_no !== null
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
          {isForOrder && recharge.state === 'paid'
            ? t('result.paidOrderText')
            : t(`result.${recharge.state}Text`)}
        </Text>
      </div>
      <Money amount={recharge.money_amount} currency={recharge.currency} size="figure" />
      {recharge.state === 'paid' && recharge.order_no !== null && (
        <OrderOutcome orderNo={recharge.order_no} />
      )}
      <Group justify="center">
        {recharge.state === 'paid' ? (
          <ButtonLink to={recharge.order_no === null ? '/user/wallet' : '/user/dashboard'}>
            {recharge.order_no === null ? t('result.toWallet') : t('result.toHome')}
          </ButtonLink>
        ) : (
          <ButtonLink
            to={recharge.order_no === null ? '/user/wallet/recharge/new' : '/user/services/buy'}
            search={{}}
          >
            {t('result.again')}
          </ButtonLink>
        )}
      </Group>
    </div>
  )
}
