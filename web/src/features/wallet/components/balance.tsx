import { Card } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { WalletResult } from '@/lib/api/gen/types.gen'
import { toMinor } from '@/lib/money'
import { Money } from '@/ui/money'
import { TextLink } from '@/ui/text-link'
import classes from './balance.module.css'
import { Figure } from './figure'

/** The available balance, and the amount that pending orders hold, with a link to them. */
export function Balance(props: { wallet: Pick<WalletResult, 'available' | 'held' | 'currency'> }) {
  const { t } = useTranslation('wallet')
  const { wallet } = props
  const { currency } = wallet
  return (
    <Card component="section" aria-label={t('balance')} className={classes.card}>
      <Figure name={t('balance')}>
        <Money amount={wallet.available} currency={currency} size="figure" />
      </Figure>
      {toMinor(wallet.held) > 0 && (
        <Figure
          name={t('held')}
          note={<TextLink to="/user/wallet/recharge">{t('heldWhy')}</TextLink>}
        >
          <Money amount={wallet.held} currency={currency} />
        </Figure>
      )}
    </Card>
  )
}
