import { Card, Skeleton, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Store } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { shopPlansOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { PlanItem as Plan } from '@/lib/api/gen/types.gen'
import { useCurrency } from '@/lib/currency'
import { formatMoney } from '@/lib/money'
import { OwnBan, useIsBanned } from '@/ui/ban-notice'
import { ButtonLink } from '@/ui/button-link'
import { Bytes } from '@/ui/bytes'
import { type Column, DataTable } from '@/ui/data-table'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import classes from './buy-page.module.css'
import { Stock } from '@/ui/plan-card/stock'
import { useTraitText } from '@/ui/plan-card/trait-text'
import { obstacleTo } from './model'

/** The classic shop: a list with a button for each price. */
export function ShopOldPage() {
  const { t } = useTranslation('shop')
  const shop = useQuery(shopPlansOptions())
  return (
    <>
      <PageHeader
        title={t('old.title')}
        about={t('old.about')}
        action={
          <ButtonLink variant="default" to="/user/services-old">
            {t('old.mine')}
          </ButtonLink>
        }
      />
      <OwnBan />
      <Loaded query={shop} skeleton={<Skeleton height={320} radius="lg" />} hasCards>
        {(items) =>
          items.length === 0 ? (
            <Card>
              <Empty icon={Store} text={t('noPlans')} />
            </Card>
          ) : (
            <div className={classes.lists}>
              <List kind="plan" items={items} />
              <List kind="package" items={items} />
            </div>
          )
        }
      </Loaded>
    </>
  )
}

function List({ kind, items }: { kind: Plan['kind']; items: readonly Plan[] }) {
  const { t } = useTranslation('shop')
  const columns = useColumns(kind)
  const rows = items.filter((item) => item.kind === kind)
  if (rows.length === 0) return null
  return (
    <section aria-labelledby={`${kind}-title`}>
      <Title order={2} size="h3" id={`${kind}-title`} mb="sm">
        {t(`kind.${kind}`)}
      </Title>
      <DataTable
        caption={t(`kind.${kind}`)}
        rows={rows}
        rowKey={({ id }) => id}
        columns={columns}
      />
    </section>
  )
}

function useColumns(kind: Plan['kind']): Column<Plan>[] {
  const { t } = useTranslation('shop')
  const traitText = useTraitText()
  const ofPlans: Column<Plan>[] = [
    { key: 'speed', header: t('old.speed'), cell: (plan) => traitText(plan, 'speed_mbps') },
    { key: 'devices', header: t('old.devices'), cell: (plan) => traitText(plan, 'devices') },
  ]
  const ofPackages: Column<Plan>[] = [
    {
      key: 'valid',
      header: t('old.valid'),
      cell: ({ valid_days: days }) =>
        days === null ? t('untilUsed') : t('validDays', { count: days }),
    },
  ]
  return [
    { key: 'name', header: t('old.name'), cell: ({ name }) => name, isTitle: true },
    {
      key: 'traffic',
      header: t('old.traffic'),
      cell: ({ traffic_bytes: bytes }) =>
        bytes === null ? t('trait.anyTraffic') : <Bytes bytes={bytes} />,
    },
    ...(kind === 'plan' ? ofPlans : ofPackages),
    { key: 'stock', header: t('old.stock'), cell: (plan) => <Availability plan={plan} /> },
    { key: 'prices', header: t('old.price'), cell: (plan) => <Prices plan={plan} /> },
  ]
}

function Availability({ plan }: { plan: Plan }) {
  const { t } = useTranslation('shop')
  const obstacle = obstacleTo(plan)
  const isPlenty = plan.stock === null && plan.per_user === null
  return isPlenty ? t('old.plenty') : <Stock plan={plan} obstacle={obstacle} />
}

function Prices({ plan }: { plan: Plan }) {
  const { t, i18n } = useTranslation('shop')
  const currency = useCurrency()
  const isBanned = useIsBanned()
  if (isBanned || obstacleTo(plan)) return t('old.none')
  return (
    <span className={classes.prices}>
      {plan.prices.map(({ shop_id, months, amount }) => {
        const price = formatMoney(amount, currency, i18n.language)
        const period = months > 0 ? t('months', { count: months }) : t('old.buy')
        return (
          <ButtonLink
            key={shop_id}
            size="sm"
            variant="default"
            aria-label={`${plan.name} · ${period} · ${price}`}
            to="/user/shop-old/payment"
            search={{ shop: shop_id }}
          >
            {period} · {price}
          </ButtonLink>
        )
      })}
    </span>
  )
}
