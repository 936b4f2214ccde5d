import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { RenewalItem } from '@/lib/api/gen/types.gen'
import { formatMoney, toMinor } from '@/lib/money'
import { problemText } from '@/lib/server-problem'
import { UnlessBanned } from '@/ui/ban-notice'
import { FormError } from '@/ui/form-error'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { TextLink } from '@/ui/text-link'
import { useAutoRenew } from '../use-auto-renew'
import classes from './card.module.css'

/** When a service is or would be renewed automatically, and at what price. */
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

/** What prevents the automatic renewal: failed attempts, missing money, or a raised price. */
export function RenewalProblem({ renewal, currency }: { renewal: RenewalItem; currency: string }) {
  const { t, i18n } = useTranslation('service')
  if (!renewal.auto_renew) return null
  const isShort = toMinor(renewal.missing) > 0
  const isRaised = renewal.price !== null && toMinor(renewal.price) > toMinor(renewal.agreed_price)
  const tried = renewal.problem && t(`renewal.problem.${renewal.problem}`, { count: renewal.tries })
  if (!isShort && !tried && !isRaised) return null
  return (
    <>
      <p className={classes.warning}>
        {tried} {!renewal.renew_at && t('renewal.givenUp')}{' '}
        {isShort && (
          <>
            {t('renewal.missing', {
              amount: formatMoney(renewal.missing, currency, i18n.language),
            })}{' '}
            <UnlessBanned>
              <TextLink to="/user/wallet/recharge/new">{t('renewal.topUp')}</TextLink>
            </UnlessBanned>
          </>
        )}{' '}
        {isRaised && t('renewal.raised')}
      </p>
      {isRaised && renewal.price !== null && (
        <Agree serviceId={renewal.service_id} price={renewal.price} currency={currency} />
      )}
    </>
  )
}

/** Accepts a raised price. Until then the automatic renewal does not charge it. */
function Agree(props: { serviceId: number; price: string; currency: string }) {
  const { t, i18n } = useTranslation('service')
  const { t: common } = useTranslation()
  const { agree, isPending, problem } = useAutoRenew(props.serviceId)
  return (
    <>
      <Button size="sm" loading={isPending} onClick={() => agree(props.price)}>
        {t('renewal.agree', { amount: formatMoney(props.price, props.currency, i18n.language) })}
      </Button>
      <FormError message={problem ? problemText(problem, common) : undefined} />
    </>
  )
}
