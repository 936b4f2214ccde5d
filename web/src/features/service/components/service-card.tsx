import { Button, Card, Skeleton, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type {
  RefundRequestItem,
  RenewalItem,
  RenewalList,
  ServiceItem,
} from '@/lib/api/gen/types.gen'
import { UnlessBanned } from '@/ui/ban-notice'
import { ButtonLink } from '@/ui/button-link'
import { Loaded } from '@/ui/loaded'
import { StatusDot } from '@/ui/status-dot'
import { conditionOf } from '../model'
import { AutoRenew } from './auto-renew'
import classes from './card.module.css'
import { RefundState } from './refund'
import { RenewalFacts, RenewalProblem } from './renewal-facts'
import { ServiceFacts } from './service-facts'
import { Usage } from './usage'

/** One running service: its remaining traffic, its end, its renewal, and its actions. */
export function ServiceCard(props: {
  service: ServiceItem
  now: number
  isBanned: boolean
  currency: string
  renewals: UseQueryResult<RenewalList>
  /** The last refund request. */
  request: RefundRequestItem | undefined
  onRefund: () => void
}) {
  const { t } = useTranslation('service')
  const { service, now, currency, request } = props
  const renewalIn = (list: RenewalList | undefined) =>
    list?.renewals.find(({ service_id: id }) => id === service.id)
  const { tone, key } = conditionOf(service, now, props.isBanned)
  return (
    <Card component="article" aria-label={service.name} className={classes.card}>
      <header className={classes.head}>
        <Title order={3} size="h3">
          {service.name}
        </Title>
        <StatusDot tone={tone}>{t(`condition.${key}`)}</StatusDot>
      </header>
      <Usage used={service.used_bytes} quota={service.quota_bytes} />
      <ServiceFacts service={service} now={now} />
      <div className={classes.renewal}>
        <AutoRenew
          serviceId={service.id}
          name={service.name}
          isOn={service.auto_renew}
          renewal={renewalIn(props.renewals.data)}
        />
        <Loaded query={props.renewals} skeleton={<Skeleton height={20} width="80%" />}>
          {(list) => <Renewal renewal={renewalIn(list)} currency={currency} />}
        </Loaded>
      </div>
      {request && <RefundState request={request} />}
      <Actions service={service} isCalm={key === 'running'}>
        {request?.state !== 'open' && (
          <Button size="sm" variant="subtle" color="gray" c="dimmed" onClick={props.onRefund}>
            {t('refund.open')}
          </Button>
        )}
      </Actions>
    </Card>
  )
}

function Renewal(props: { renewal: RenewalItem | undefined; currency: string }) {
  const { renewal, currency } = props
  if (!renewal) return null
  return (
    <>
      <p className={classes.quiet}>
        <RenewalFacts renewal={renewal} currency={currency} />
      </p>
      <RenewalProblem renewal={renewal} currency={currency} />
    </>
  )
}

function Actions(props: { service: ServiceItem; isCalm: boolean; children: ReactNode }) {
  const { t } = useTranslation('service')
  const { id } = props.service
  return (
    <footer className={classes.foot}>
      <UnlessBanned>
        <ButtonLink
          size="sm"
          variant={props.isCalm ? 'default' : 'filled'}
          to="/user/services/buy"
          search={{ renew: id }}
        >
          {t('renew')}
        </ButtonLink>
        <ButtonLink size="sm" variant="default" to="/user/services/buy" search={{ change: id }}>
          {t('change')}
        </ButtonLink>
      </UnlessBanned>
      {props.children}
    </footer>
  )
}
