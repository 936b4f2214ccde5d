import { useTranslation } from 'react-i18next'
import { useWaitingOrder } from '@/lib/recent-recharge'
import { useOrderText } from '@/lib/order-text'
import { useIsBanned } from '@/ui/ban-notice'
import { Money } from '@/ui/money'
import { TextLink } from '@/ui/text-link'
import classes from '../buy-page.module.css'

/** Links to a purchase whose payment was started, so that the user does not start it again. */
export function WaitingOrder() {
  const { t } = useTranslation('shop')
  const { what } = useOrderText()
  const isBanned = useIsBanned()
  const waiting = useWaitingOrder()
  if (!waiting?.order || isBanned) return null
  return (
    <p className={classes.running}>
      <span>
        {t('waiting.text', { what: what(waiting.order) })}{' '}
        <Money amount={waiting.pay_amount} currency={waiting.pay_currency} />
      </span>
      <TextLink to="/user/wallet/recharge/new" search={{ id: waiting.no }}>
        {t('waiting.goOn')}
      </TextLink>
    </p>
  )
}
