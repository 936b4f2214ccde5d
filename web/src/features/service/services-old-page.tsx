import { Button, Card, Skeleton, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { PackageOpen } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { servicesListOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { PackageItem, ServiceItem } from '@/lib/api/gen/types.gen'
import { useNow } from '@/lib/now'
import { OwnBan, UnlessBanned, useIsBanned } from '@/ui/ban-notice'
import { ButtonLink } from '@/ui/button-link'
import { Bytes } from '@/ui/bytes'
import { type Column, DataTable } from '@/ui/data-table'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { PageHeader } from '@/ui/page-header'
import { StatusDot } from '@/ui/status-dot'
import { ServiceBills } from './components/service-bills'
import { conditionOf } from './model'
import classes from './services-page.module.css'

const route = getRouteApi('/user/services-old')

/** The classic list: all services and packages in tables, the bills of a service below its row. */
export function ServicesOldPage() {
  const { t } = useTranslation('service')
  const services = useQuery(servicesListOptions())
  return (
    <>
      <PageHeader
        title={t('old.title')}
        about={t('old.about')}
        action={
          <UnlessBanned>
            <ButtonLink to="/user/shop-old">{t('buy')}</ButtonLink>
          </UnlessBanned>
        }
      />
      <OwnBan />
      <Loaded query={services} skeleton={<Skeleton height={240} radius="lg" />} hasCards>
        {(list) =>
          list.services.length + list.packages.length === 0 ? (
            <Card>
              <Empty
                icon={PackageOpen}
                text={t('empty')}
                action={
                  <UnlessBanned>
                    <ButtonLink to="/user/shop-old">{t('choose')}</ButtonLink>
                  </UnlessBanned>
                }
              />
            </Card>
          ) : (
            <div className={classes.sections}>
              {list.services.length > 0 && <Services services={list.services} />}
              {list.packages.length > 0 && <Packages packages={list.packages} />}
            </div>
          )
        }
      </Loaded>
    </>
  )
}

function Services({ services }: { services: readonly ServiceItem[] }) {
  const { t } = useTranslation('service')
  const { bills } = route.useSearch()
  return (
    <DataTable
      caption={t('plans')}
      rows={services}
      rowKey={({ id }) => id}
      columns={useServiceColumns()}
      renderDetail={({ id }) => bills === id && <ServiceBills serviceId={id} />}
    />
  )
}

function useServiceColumns(): Column<ServiceItem>[] {
  const { t } = useTranslation('service')
  const now = useNow()
  const isBanned = useIsBanned()
  return [
    { key: 'name', header: t('old.name'), cell: ({ name }) => name, isTitle: true },
    {
      key: 'state',
      header: t('old.state'),
      cell: (service) => {
        const { tone, key } = conditionOf(service, now, isBanned)
        return <StatusDot tone={tone}>{t(`condition.${key}`)}</StatusDot>
      },
    },
    {
      key: 'traffic',
      header: t('old.traffic'),
      align: 'end',
      cell: ({ used_bytes, quota_bytes }) => <Traffic used={used_bytes} of={quota_bytes} />,
    },
    {
      key: 'began',
      header: t('old.began'),
      cell: ({ started_at }) => <Moment time={started_at} />,
    },
    { key: 'ends', header: t('ends'), cell: ({ ends_at }) => <Moment time={ends_at} isEnd /> },
    { key: 'actions', header: t('old.actions'), cell: (service) => <Actions {...service} /> },
  ]
}

function usePackageColumns(): Column<PackageItem>[] {
  const { t } = useTranslation('service')
  return [
    { key: 'name', header: t('old.name'), cell: ({ name }) => name, isTitle: true },
    {
      key: 'traffic',
      header: t('old.traffic'),
      align: 'end',
      cell: ({ used_bytes, bytes }) => <Traffic used={used_bytes} of={bytes} />,
    },
    {
      key: 'began',
      header: t('old.began'),
      cell: ({ created_at }) => <Moment time={created_at} />,
    },
    {
      key: 'ends',
      header: t('ends'),
      cell: ({ expires_at }) => (expires_at ? <Moment time={expires_at} isEnd /> : t('untilUsed')),
    },
  ]
}

function Traffic({ used, of }: { used: number; of: number | null }) {
  const { t } = useTranslation('service')
  return (
    <span>
      <Bytes bytes={used} /> / {of === null ? t('old.unlimited') : <Bytes bytes={of} />}
    </span>
  )
}

function Actions({ id, name }: { id: number; name: string }) {
  const { t } = useTranslation('service')
  const navigate = route.useNavigate()
  const { bills } = route.useSearch()
  const isOpen = bills === id
  return (
    <span className={classes.actions}>
      <Button
        size="sm"
        variant="default"
        aria-expanded={isOpen}
        aria-label={t('old.billsOf', { name })}
        onClick={() =>
          void navigate({
            search: isOpen ? {} : { bills: id },
            replace: true,
            resetScroll: false,
          })
        }
      >
        {t('old.bills')}
      </Button>
      <UnlessBanned>
        <ButtonLink
          size="sm"
          variant="default"
          aria-label={t('renewNamed', { name })}
          to="/user/services/buy"
          search={{ renew: id }}
        >
          {t('renew')}
        </ButtonLink>
      </UnlessBanned>
    </span>
  )
}

function Packages({ packages }: { packages: readonly PackageItem[] }) {
  const { t } = useTranslation('service')
  return (
    <section aria-labelledby="packages-title">
      <Title order={2} size="h3" id="packages-title" mb="sm">
        {t('packages')}
      </Title>
      <DataTable
        caption={t('packages')}
        rows={packages}
        rowKey={({ id }) => id}
        columns={usePackageColumns()}
      />
    </section>
  )
}
