import { Card, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { walletGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { GatewayChargeNow } from '@/lib/api/gen/types.gen'
import { useCurrency } from '@/lib/currency'
import { toMinor } from '@/lib/money'
import { Loaded } from '@/ui/loaded'
import { Money } from '@/ui/money'
import classes from './recharge.module.css'

/** The current balance and the server's price of the chosen amount. */
export function RechargeSummary({ charge }: { charge: GatewayChargeNow | undefined }) {
  const { t } = useTranslation('wallet')
  const wallet = useQuery(walletGetOptions())
  return (
    <Card component="section" aria-label={t('new.summary')}>
      <dl className={classes.sums}>
        <Loaded query={wallet} skeleton={<Skeleton height={24} />}>
          {({ available, currency }) => (
            <Sum name={t('balance')}>
              <Money amount={available} currency={currency} />
            </Sum>
          )}
        </Loaded>
        {charge && <Charge charge={charge} />}
      </dl>
    </Card>
  )
}

function Charge({ charge }: { charge: GatewayChargeNow }) {
  const { t } = useTranslation('wallet')
  const currency = useCurrency()
  return (
    <>
      <Sum name={t('new.adds')}>
        <Money amount={charge.amount} currency={currency} isSigned />
      </Sum>
      {toMinor(charge.fee) > 0 && (
        <Sum name={t('line.fee')}>
          <Money amount={charge.fee} currency={currency} />
        </Sum>
      )}
      <Sum name={t('pay.amount')} isLarge>
        <Money amount={charge.pay_amount} currency={charge.pay_currency} size="figure" />
      </Sum>
    </>
  )
}

function Sum(props: { name: string; isLarge?: boolean; children: ReactNode }) {
  return (
    <div data-large={props.isLarge}>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  )
}
