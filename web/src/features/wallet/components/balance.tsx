import { Card } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { WalletResult } from '@/api/gen/types.gen'
import { toMinor } from '@/shared/lib/money'
import { Money } from '@/shared/ui/money'
import classes from './balance.module.css'

/** What can be spent, large; beside it what is held and what was earned, where there is any. */
export function Balance({ wallet }: { wallet: WalletResult }) {
  const { t } = useTranslation('wallet')
  const { currency } = wallet
  return (
    <Card component="section" aria-label={t('balance')} className={classes.card}>
      <Figure name={t('balance')} amount={wallet.available} currency={currency} isLarge />
      {toMinor(wallet.held) > 0 && (
        <Figure name={t('held')} amount={wallet.held} currency={currency} />
      )}
      {toMinor(wallet.invite_balance) > 0 && (
        <Figure name={t('commission')} amount={wallet.invite_balance} currency={currency} />
      )}
    </Card>
  )
}

function Figure(props: { name: string; amount: string; currency: string; isLarge?: boolean }) {
  return (
    <div>
      <p className={classes.name}>{props.name}</p>
      <p className={classes.value}>
        <Money
          amount={props.amount}
          currency={props.currency}
          size={props.isLarge ? 'figure' : 'text'}
        />
      </p>
    </div>
  )
}
