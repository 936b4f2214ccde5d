import { Card } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CreditCard, FileText, ShoppingBag, TicketCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { walletGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { OwnBan, UnlessBanned } from '@/ui/ban-notice'
import { ButtonLink } from '@/ui/button-link'
import { useCurrency } from '@/lib/currency'
import { Loaded } from '@/ui/loaded'
import { Outline } from '@/ui/outline'
import { PageHeader } from '@/ui/page-header'
import { Balance } from './components/balance'
import { Commission } from './components/commission'
import { Movements } from './components/movements'
import { ReasonFilter } from './components/reason-filter'
import classes from './wallet-page.module.css'

/** The balance and the statement of its movements. */
export function WalletPage() {
  const { t } = useTranslation('wallet')
  const wallet = useQuery(walletGetOptions())
  return (
    <>
      <PageHeader
        title={t('title')}
        about={t('about')}
        action={
          <UnlessBanned>
            <ButtonLink to="/user/wallet/recharge/new">{t('recharge')}</ButtonLink>
          </UnlessBanned>
        }
      />
      <OwnBan />
      <div className={classes.page}>
        <Loaded query={wallet} skeleton={<BalanceOutline />} hasCards>
          {(found) => (
            <div className={classes.cards}>
              <Balance wallet={found} />
              <Commission wallet={found} />
            </div>
          )}
        </Loaded>
        <More />
        <Card padding={0} component="section" aria-labelledby="statement">
          <div className={classes.head}>
            <h2 id="statement">{t('statement')}</h2>
            <ReasonFilter />
          </div>
          <Movements />
        </Card>
      </div>
    </>
  )
}

function BalanceOutline() {
  const currency = useCurrency()
  return (
    <Outline>
      <div className={classes.cards}>
        <Balance wallet={{ available: '0.00', held: '0.00', currency }} />
        <Commission wallet={{ invite_balance: '0.00', invite_pending: '0.00', currency }} />
      </div>
    </Outline>
  )
}

function More() {
  const { t } = useTranslation('wallet')
  return (
    <nav aria-label={t('more')} className={classes.more}>
      {more.map(({ to, key, icon: Icon }) => (
        <ButtonLink
          key={to}
          to={to}
          variant="default"
          px={4}
          leftSection={<Icon size={18} strokeWidth={1.75} aria-hidden="true" />}
        >
          {t(`${key}.title`)}
        </ButtonLink>
      ))}
    </nav>
  )
}

const more = [
  { to: '/user/wallet/recharge/cd-key', key: 'cdKey', icon: TicketCheck },
  { to: '/user/wallet/recharge', key: 'recharges', icon: CreditCard },
  { to: '/user/wallet/billing', key: 'billing', icon: FileText },
  { to: '/user/wallet/purchase-records-old', key: 'purchases', icon: ShoppingBag },
] as const
