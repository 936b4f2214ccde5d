import { Card, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Dashboard } from '@/lib/api/gen/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Money } from '@/ui/money'
import { TextLink } from '@/ui/text-link'
import classes from './side-card.module.css'

export function WalletCard(props: { wallet: Dashboard['wallet']; isBanned: boolean }) {
  const { wallet } = props
  const { t } = useTranslation('home')
  return (
    <Card component="section" aria-labelledby="wallet-title" className={classes.card}>
      <header className={classes.head}>
        <Title order={2} size="h3" id="wallet-title">
          {t('wallet.title')}
        </Title>
        <Text size="sm">
          <TextLink to="/user/wallet" underline="hover">
            {t('wallet.statement')}
          </TextLink>
        </Text>
      </header>
      <p className={classes.figure}>
        <Money amount={wallet.balance} currency={wallet.currency} size="figure" />
      </p>
      {!props.isBanned && (
        <ButtonLink variant="default" to="/user/wallet/recharge/new" className={classes.action}>
          {t('wallet.recharge')}
        </ButtonLink>
      )}
    </Card>
  )
}
