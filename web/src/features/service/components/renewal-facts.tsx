import { useTranslation } from 'react-i18next'
import type { RenewalItem } from '@/api/gen/types.gen'
import { formatMoney, toMinor } from '@/shared/lib/money'
import { Moment } from '@/shared/ui/moment'
import { Money } from '@/shared/ui/money'
import { TextLink } from '@/shared/ui/text-link'
import classes from './card.module.css'

/** When a service renews itself, or would, and for how much. */
export function RenewalFacts({ renewal, currency }: { renewal: RenewalItem; currency: string }) {
  const { t } = useTranslation('service')
  if (renewal.price === null) return t('renewal.notSold')
  return (
    <>
      {renewal.renew_at && (
        <>
          {renewal.auto_renew ? t('renewal.next') : t('renewal.would')}{' '}
          <Moment time={renewal.renew_at} withTime /> ·{' '}
        </>
      )}
      <Money amount={renewal.price} currency={currency} />{' '}
      {t('renewal.months', { count: renewal.months })}
    </>
  )
}

/** What stands in the way of it: tries that failed, money that is missing. */
export function RenewalProblem({ renewal, currency }: { renewal: RenewalItem; currency: string }) {
  const { t, i18n } = useTranslation('service')
  if (!renewal.auto_renew) return null
  const isShort = toMinor(renewal.missing) > 0
  const tried = renewal.problem && t(`renewal.problem.${renewal.problem}`, { count: renewal.tries })
  if (!isShort && !tried) return null
  return (
    <p className={classes.warning}>
      {tried} {!renewal.renew_at && t('renewal.givenUp')}{' '}
      {isShort && (
        <>
          {t('renewal.missing', {
            amount: formatMoney(renewal.missing, currency, i18n.language),
          })}{' '}
          <TextLink to="/user/wallet/recharge/new">{t('renewal.topUp')}</TextLink>
        </>
      )}
    </p>
  )
}
