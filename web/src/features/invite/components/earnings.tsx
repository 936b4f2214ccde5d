import { Card } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { InviteResult } from '@/lib/api/gen/types.gen'
import { useCurrency } from '@/lib/currency'
import { formatMoney, toMinor } from '@/lib/money'
import { Money } from '@/ui/money'
import { BuyInvites } from './buy-invites'
import classes from './earnings.module.css'

/** The number of invited users, the commission, and its rule. */
export function Earnings({ invite }: { invite: InviteResult }) {
  const { t, i18n } = useTranslation('invite')
  const currency = useCurrency()
  const percent = invite.commission_permille / 10
  return (
    <Card component="section" aria-label={t('earned')} className={classes.card}>
      <div>
        <p className={classes.name}>{t('joined')}</p>
        <p className={classes.count}>{invite.total_invites}</p>
      </div>
      {invite.invites_left !== null && (
        <div>
          <p className={classes.name}>{t('left')}</p>
          <p className={classes.value}>{invite.invites_left}</p>
          {invite.invite_price && <BuyInvites price={invite.invite_price} />}
        </div>
      )}
      {percent > 0 && (
        <div>
          <p className={classes.name}>{t('earned')}</p>
          <p className={classes.value}>
            <Money amount={invite.total_commission} currency={currency} />
          </p>
          {toMinor(invite.owed) > 0 && (
            <p className={classes.note}>
              {t('owed', { amount: formatMoney(invite.owed, currency, i18n.language) })}
            </p>
          )}
          <p className={classes.note}>
            {t(invite.first_order_only ? 'termsFirst' : 'terms', { percent })}{' '}
            {invite.release_days > 0 && t('wait', { count: invite.release_days })}
          </p>
        </div>
      )}
    </Card>
  )
}
