import { Loader } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { RechargeRecord } from '@/lib/api/gen/types.gen'
import { useServerNow } from '@/lib/now'
import { formatMoney, toMinor } from '@/lib/money'
import { formatCountdown } from '@/lib/countdown'
import { hoursUntil } from '@/lib/time'
import { UnlessBanned } from '@/ui/ban-notice'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { TextLink } from '@/ui/text-link'
import { isPayable } from '../model'
import { CancelPayment } from './cancel-payment'
import { OrderAgain } from './order-again'
import { PayPage } from './pay-page'
import classes from './recharge.module.css'

/** How to pay a pending recharge, and the time that remains. The page polls the state meanwhile. */
export function PayPanel(props: {
  recharge: RechargeRecord
  query: Pick<UseQueryResult, 'isFetching' | 'isError' | 'refetch'>
}) {
  const { t } = useTranslation('wallet')
  const { recharge, query } = props
  const now = useServerNow(1000)
  return (
    <div className={classes.pay}>
      <div>
        <p className={classes.label}>{recharge.order ? t('pay.forOrder') : t('pay.amount')}</p>
        <Money amount={recharge.pay_amount} currency={recharge.pay_currency} size="figure" />
        <Parts recharge={recharge} />
      </div>
      <UnlessBanned>
        {isPayable(recharge, now) && (
          <PayPage
            recharge={recharge}
            isAsking={query.isFetching}
            onRetry={() => void query.refetch()}
          />
        )}
        <RemainingTime end={recharge.expires_at} now={now} />
      </UnlessBanned>
      <p role="status" className={classes.watching}>
        <Loader size={16} aria-hidden="true" />
        {query.isError ? t('pay.offline') : t('pay.watching')}
      </p>
      <UnlessBanned>
        <OtherWay recharge={recharge} />
      </UnlessBanned>
      <CancelPayment recharge={recharge} />
    </div>
  )
}

function OtherWay({ recharge }: { recharge: RechargeRecord }) {
  const { t } = useTranslation('wallet')
  if (recharge.order) {
    return (
      <OrderAgain variant="default" order={recharge.order}>
        {t('pay.otherWay')}
      </OrderAgain>
    )
  }
  return (
    <TextLink to="/user/wallet/recharge/new" search={{ amount: recharge.money_amount }}>
      {t('pay.other')}
    </TextLink>
  )
}

/** The part that goes to the balance, if there is a fee or the currencies differ. */
function Parts({ recharge }: { recharge: RechargeRecord }) {
  const { t, i18n } = useTranslation('wallet')
  const { money_amount: amount, fee, currency, pay_currency: payCurrency } = recharge
  const show = (sum: string) => formatMoney(sum, currency, i18n.language)
  const hasFee = toMinor(fee) > 0
  if (!hasFee && payCurrency === currency) return null
  return (
    <p className={classes.label}>
      {t(hasFee ? 'pay.parts' : 'pay.credits', { amount: show(amount), fee: show(fee) })}
    </p>
  )
}

/** The remaining time. After it nothing can be paid here, and the server decides whether a payment arrived before. */
function RemainingTime({ end, now }: { end: string; now: number }) {
  const { t } = useTranslation('wallet')
  const remainingMs = Date.parse(end) - now
  if (remainingMs <= 0) return <p className={classes.label}>{t('pay.timeUp')}</p>
  const hasHours = hoursUntil(end, now) > 0
  return (
    <p className={classes.label}>
      {t(hasHours ? 'pay.until' : 'pay.timeLeft')}{' '}
      <b>{hasHours ? <Moment time={end} withTime /> : formatCountdown(remainingMs)}</b>
    </p>
  )
}
