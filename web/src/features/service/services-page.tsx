import { Card, Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { PackageOpen } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  serviceRenewalsOptions,
  servicesListOptions,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { PackageItem, ServiceItem, ServicesListResponse } from '@/lib/api/gen/types.gen'
import { lazyPart } from '@/lib/lazy-part'
import { useCurrency } from '@/lib/currency'
import { useNow } from '@/lib/now'
import { OwnBan, UnlessBanned, useIsBanned } from '@/ui/ban-notice'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import { EndedServices } from './components/ended-services'
import { PackageCard } from './components/package-card'
import { ServiceCard } from './components/service-card'
import classes from './services-page.module.css'
import { useLastRequests } from './use-last-requests'

const RefundDialog = lazyPart(() => import('./components/refund-dialog'), 'RefundDialog')

/** The user's services and packages, with the remaining traffic of each. */
export function ServicesPage() {
  const { t } = useTranslation('service')
  const services = useQuery(servicesListOptions())
  return (
    <>
      <PageHeader
        title={t('title')}
        about={t('about')}
        action={
          <UnlessBanned>
            <ButtonLink to="/user/services/buy">{t('buy')}</ButtonLink>
          </UnlessBanned>
        }
      />
      <OwnBan />
      <Loaded query={services} skeleton={<ListSkeleton />} hasCards>
        {(list) => <List list={list} />}
      </Loaded>
    </>
  )
}

function List({ list: { services, packages } }: { list: ServicesListResponse }) {
  const { t } = useTranslation('service')
  const requestOf = useLastRequests()
  const [refunded, setRefunded] = useState<ServiceItem | PackageItem>()
  if (services.length + packages.length === 0) {
    return (
      <Card>
        <Empty
          icon={PackageOpen}
          text={t('empty')}
          action={
            <UnlessBanned>
              <ButtonLink to="/user/services/buy">{t('choose')}</ButtonLink>
            </UnlessBanned>
          }
        />
      </Card>
    )
  }
  const running = services.filter(({ state }) => state === 'running')
  const ended = services.filter(({ state }) => state === 'ended')
  return (
    <div className={classes.sections}>
      {running.length > 0 && (
        <Running services={running} requestOf={requestOf} onRefund={setRefunded} />
      )}
      <Packages packages={packages} requestOf={requestOf} onRefund={setRefunded} />
      {ended.length > 0 && <EndedServices services={ended} requestOf={requestOf} />}
      <p className={classes.classic}>
        <TextLink to="/user/services-old">{t('classic')}</TextLink>
      </p>
      <Suspense>
        {refunded && <RefundDialog item={refunded} onClose={() => setRefunded(undefined)} />}
      </Suspense>
    </div>
  )
}

function Running(props: {
  services: readonly ServiceItem[]
  requestOf: ReturnType<typeof useLastRequests>
  onRefund: (service: ServiceItem) => void
}) {
  const { t } = useTranslation('service')
  const now = useNow()
  const currency = useCurrency()
  const isBanned = useIsBanned()
  const renewals = useQuery(serviceRenewalsOptions())
  return (
    <section aria-labelledby="plans-title">
      <Title order={2} size="h3" id="plans-title" mb="sm">
        {t('plans')}
      </Title>
      <div className={classes.services}>
        {props.services.map((service) => (
          <ServiceCard
            key={service.id}
            service={service}
            now={now}
            isBanned={isBanned}
            currency={currency}
            renewals={renewals}
            request={props.requestOf('service_id', service.id)}
            onRefund={() => props.onRefund(service)}
          />
        ))}
      </div>
    </section>
  )
}

function Packages(props: {
  packages: readonly PackageItem[]
  requestOf: ReturnType<typeof useLastRequests>
  onRefund: (item: PackageItem) => void
}) {
  const { t } = useTranslation('service')
  const now = useNow()
  const { packages } = props
  return (
    <section aria-labelledby="packages-title">
      <Title order={2} size="h3" id="packages-title" mb="sm">
        {t('packages')}
      </Title>
      {packages.length === 0 ? (
        <Card className={classes.none}>
          <Text c="dimmed">{t('noPackages')}</Text>
          <UnlessBanned>
            <ButtonLink
              size="sm"
              variant="default"
              to="/user/services/buy"
              search={{ kind: 'package' }}
            >
              {t('buyPackage')}
            </ButtonLink>
          </UnlessBanned>
        </Card>
      ) : (
        <div className={classes.packages}>
          {packages.map((item) => (
            <PackageCard
              key={item.id}
              item={item}
              now={now}
              request={props.requestOf('package_id', item.id)}
              onRefund={() => props.onRefund(item)}
            />
          ))}
        </div>
      )}
    </section>
  )
}

function ListSkeleton() {
  return (
    <div>
      <Skeleton height={24} width={80} mb="sm" />
      <div className={classes.services}>
        <Skeleton height={380} radius="lg" />
        <Skeleton height={380} radius="lg" />
      </div>
    </div>
  )
}
