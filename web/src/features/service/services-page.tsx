import { Card, Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { PackageOpen } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { servicesListOptions } from '@/api/gen/@tanstack/react-query.gen'
import type { ServicesListResponse } from '@/api/gen/types.gen'
import { useNow } from '@/shared/lib/now'
import { ButtonLink } from '@/shared/ui/button-link'
import { Empty } from '@/shared/ui/empty'
import { Loaded } from '@/shared/ui/loaded'
import { PageHeader } from '@/shared/ui/page-header'
import { PackageCard } from './components/package-card'
import { ServiceCard } from './components/service-card'
import classes from './services-page.module.css'

/** What one has: running services and packages, with what is left of each. */
export function ServicesPage() {
  const { t } = useTranslation('service')
  const services = useQuery(servicesListOptions())
  return (
    <>
      <PageHeader
        title={t('title')}
        about={t('about')}
        action={<ButtonLink to="/user/services/buy">{t('buy')}</ButtonLink>}
      />
      <Loaded query={services} skeleton={<ListSkeleton />} hasCards>
        {(list) => <List list={list} />}
      </Loaded>
    </>
  )
}

function List({ list: { services, packages } }: { list: ServicesListResponse }) {
  const { t } = useTranslation('service')
  const now = useNow()
  if (services.length + packages.length === 0) {
    return (
      <Card>
        <Empty
          icon={PackageOpen}
          text={t('empty')}
          action={<ButtonLink to="/user/services/buy">{t('choose')}</ButtonLink>}
        />
      </Card>
    )
  }
  return (
    <div className={classes.sections}>
      {services.length > 0 && (
        <section aria-labelledby="plans-title">
          <Title order={2} size="h3" id="plans-title" mb="sm">
            {t('plans')}
          </Title>
          <div className={classes.services}>
            {services.map((service) => (
              <ServiceCard key={service.id} service={service} now={now} />
            ))}
          </div>
        </section>
      )}
      <section aria-labelledby="packages-title">
        <Title order={2} size="h3" id="packages-title" mb="sm">
          {t('packages')}
        </Title>
        {packages.length === 0 ? (
          <Card className={classes.none}>
            <Text c="dimmed">{t('noPackages')}</Text>
            <ButtonLink
              size="sm"
              variant="default"
              to="/user/services/buy"
              search={{ kind: 'package' }}
            >
              {t('buyPackage')}
            </ButtonLink>
          </Card>
        ) : (
          <div className={classes.packages}>
            {packages.map((item) => (
              <PackageCard key={item.id} item={item} now={now} />
            ))}
          </div>
        )}
      </section>
    </div>
  )
}

function ListSkeleton() {
  return (
    <div>
      <Skeleton height={24} width={80} mb="sm" />
      <div className={classes.services}>
        <Skeleton height={236} radius="lg" />
        <Skeleton height={236} radius="lg" />
      </div>
    </div>
  )
}
