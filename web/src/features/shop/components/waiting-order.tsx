import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { rechargeListOptions } from '@/api/gen/@tanstack/react-query.gen'
import { Money } from '@/shared/ui/money'
import { TextLink } from '@/shared/ui/text-link'
import classes from '../buy-page.module.css'

const RECENT = 5

/** Leads back to a purchase whose payment was begun, so that one who comes back from there does not make it again. */
export function WaitingOrder() {
  const { t } = useTranslation('shop')
  const { data } = useQuery({
    ...rechargeListOptions({ query: { limit: RECENT, offset: 0 } }),
    staleTime: 0,
  })
  const waiting = data?.recharge_records.find(
    ({ state, order_no: orderNo }) => state === 'pending' && orderNo !== null,
  )
  if (!waiting) return null
  return (
    <p className={classes.running}>
      <span>
        {t('waiting.text')} <Money amount={waiting.pay_amount} currency={waiting.pay_currency} />
      </span>
      <TextLink to="/user/wallet/recharge/new" search={{ id: waiting.no }}>
        {t('waiting.goOn')}
      </TextLink>
    </p>
  )
}
