import { Card, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CalendarClock } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { serviceRenewalsOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { RenewalItem, RenewalList } from '@/lib/api/gen/types.gen'
import { OwnBan, UnlessBanned } from '@/ui/ban-notice'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { PageHeader } from '@/ui/page-header'
import { AutoRenew } from './components/auto-renew'
import card from './components/card.module.css'
import { RenewalFacts, RenewalProblem } from './components/renewal-facts'
import classes from './services-page.module.css'

/** All automatic renewals: when, at what price, whether the balance suffices, and what failed. */
export function RenewalsPage() {
  const { t } = useTranslation('service')
  const renewals = useQuery(serviceRenewalsOptions())
  return (
    <>
      <PageHeader title={t('renewals.title')} about={t('renewals.about')} />
      <OwnBan />
      <Loaded query={renewals} skeleton={<Skeleton height={240} radius="lg" />} hasCards>
        {(list) => <List list={list} />}
      </Loaded>
    </>
  )
}

function List({ list: { renewals, available, currency } }: { list: RenewalList }) {
  const { t } = useTranslation('service')
  if (renewals.length === 0) {
    return (
      <Card>
        <Empty
          icon={CalendarClock}
          text={t('renewals.empty')}
          action={
            <UnlessBanned>
              <ButtonLink to="/user/services/buy">{t('choose')}</ButtonLink>
            </UnlessBanned>
          }
        />
      </Card>
    )
  }
  return (
    <div className={classes.sections}>
      <Card className={classes.none}>
        <div>
          <p className={card.quiet}>{t('renewals.available')}</p>
          <Money amount={available} currency={currency} size="figure" />
        </div>
        <UnlessBanned>
          <ButtonLink variant="default" to="/user/wallet/recharge/new">
            {t('renewal.topUp')}
          </ButtonLink>
        </UnlessBanned>
      </Card>
      <div className={classes.services}>
        {renewals.map((renewal) => (
          <Renewal key={renewal.service_id} renewal={renewal} currency={currency} />
        ))}
      </div>
    </div>
  )
}

function Renewal({ renewal, currency }: { renewal: RenewalItem; currency: string }) {
  const { t } = useTranslation('service')
  return (
    <Card component="article" aria-label={renewal.name} className={card.card}>
      <header className={card.head}>
        <h2 className={classes.name}>{renewal.name}</h2>
        <span className={card.quiet}>
          {t('ends')} <Moment time={renewal.ends_at} isEnd />
        </span>
      </header>
      <p className={classes.when}>
        <RenewalFacts renewal={renewal} currency={currency} />
      </p>
      <RenewalProblem renewal={renewal} currency={currency} />
      <AutoRenew
        serviceId={renewal.service_id}
        name={renewal.name}
        isOn={renewal.auto_renew}
        renewal={renewal}
      />
      <footer className={card.foot}>
        <UnlessBanned>
          {renewal.price !== null && (
            <ButtonLink
              size="sm"
              variant="default"
              to="/user/services/buy"
              search={{ renew: renewal.service_id, months: renewal.months }}
            >
              {t('renewals.now')}
            </ButtonLink>
          )}
        </UnlessBanned>
      </footer>
    </Card>
  )
}
