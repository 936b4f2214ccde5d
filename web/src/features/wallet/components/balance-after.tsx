import { Card, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { walletGetOptions } from '@/api/gen/@tanstack/react-query.gen'
import { toAmount, toMinor } from '@/shared/lib/money'
import { Loaded } from '@/shared/ui/loaded'
import { Money } from '@/shared/ui/money'
import classes from './balance.module.css'

/** What there is now, and what there will be with the chosen amount. */
export function BalanceAfter({ adding }: { adding: string | undefined }) {
  const { t } = useTranslation('wallet')
  const wallet = useQuery(walletGetOptions())
  return (
    <Card component="section" aria-label={t('balance')}>
      <Loaded query={wallet} skeleton={<Skeleton height={116} />}>
        {({ available, currency }) => (
          <>
            <p className={classes.name}>{t('balance')}</p>
            <p className={classes.value}>
              <Money amount={available} currency={currency} />
            </p>
            {adding && (
              <>
                <p className={classes.then}>{t('new.after')}</p>
                <Money
                  amount={toAmount(toMinor(available) + toMinor(adding))}
                  currency={currency}
                  size="figure"
                />
              </>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}
