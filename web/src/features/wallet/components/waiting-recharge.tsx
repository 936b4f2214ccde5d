import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { rechargeListOptions } from '@/api/gen/@tanstack/react-query.gen'
import { Money } from '@/shared/ui/money'
import { TextLink } from '@/shared/ui/text-link'
import { isWaiting } from '../model'
import classes from './recharge.module.css'

const RECENT = 5

/** Leads back to a payment that was begun, perhaps in another tab, so that nobody pays twice. */
export function WaitingRecharge() {
  const { t } = useTranslation('wallet')
  const { data } = useQuery({
    ...rechargeListOptions({ query: { limit: RECENT, offset: 0 } }),
    staleTime: 0,
    refetchOnWindowFocus: 'always',
  })
  const waiting = data?.recharge_records.find(isWaiting)
  if (!waiting) return null
  return (
    <p className={classes.waiting}>
      <span>
        {t('new.waiting')} <Money amount={waiting.money_amount} currency={waiting.currency} />
      </span>
      <TextLink to="/user/wallet/recharge/new" search={{ id: waiting.no }}>
        {t('new.goOn')}
      </TextLink>
    </p>
  )
}
