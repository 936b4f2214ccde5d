import { useTranslation } from 'react-i18next'
import { useServerNow } from '@/lib/now'
import { useRecentRecharge } from '@/lib/recent-recharge'
import { FormColumn } from '@/ui/form-column'
import { Money } from '@/ui/money'
import { TextLink } from '@/ui/text-link'
import { isPayable } from '../model'
import classes from './recharge.module.css'

/** Links to a payment that was started, perhaps in another tab, so that nobody pays twice. */
export function WaitingRecharge() {
  const { t } = useTranslation('wallet')
  const now = useServerNow()
  const waiting = useRecentRecharge((recharge) => isPayable(recharge, now))
  if (!waiting) return null
  return (
    <FormColumn>
      <p className={classes.waiting}>
        <span>
          {t('new.waiting')} <Money amount={waiting.money_amount} currency={waiting.currency} />
        </span>
        <TextLink to="/user/wallet/recharge/new" search={{ id: waiting.no }}>
          {t('new.goOn')}
        </TextLink>
      </p>
    </FormColumn>
  )
}
