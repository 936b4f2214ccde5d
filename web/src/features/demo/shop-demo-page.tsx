import { Card, Group, Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ShoppingBag } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { shopPlansOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { PlanItem } from '@/lib/api/gen/types.gen'
import { useCurrency } from '@/lib/currency'
import { formatBytes } from '@/lib/bytes'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { Money } from '@/ui/money'
import { ForSignedIn } from './components/for-signed-in'
import { TestPage } from './components/test-page'
import classes from './demo-pages.module.css'

/** What is on sale. */
export function ShopDemoPage() {
  return (
    <TestPage name="shop-demo">
      <ForSignedIn>
        <Plans />
      </ForSignedIn>
    </TestPage>
  )
}

function Plans() {
  const { t } = useTranslation('demo')
  const plans = useQuery(shopPlansOptions())
  return (
    <Loaded query={plans} skeleton={<Skeleton height={220} radius="lg" />} hasCards>
      {(found) =>
        found.length === 0 ? (
          <Empty icon={ShoppingBag} text={t('noPlans')} />
        ) : (
          <div className={classes.grid}>
            {found.map((plan) => (
              <Plan key={plan.id} plan={plan} />
            ))}
          </div>
        )
      }
    </Loaded>
  )
}

function Plan({ plan }: { plan: PlanItem }) {
  const { t, i18n } = useTranslation('demo')
  const currency = useCurrency()
  return (
    <Card component="section" aria-label={plan.name}>
      <Title order={2} size="h3">
        {plan.name}
      </Title>
      <Text c="dimmed">{plan.info}</Text>
      <Text my="sm">
        {plan.traffic_bytes === null
          ? t('unlimited')
          : t('traffic', { bytes: formatBytes(plan.traffic_bytes, i18n.language) })}
      </Text>
      {plan.prices.map(({ shop_id: id, amount, months }) => (
        <Group key={id} justify="space-between">
          <Money amount={amount} currency={currency} />
          <Text c="dimmed">{months > 0 ? t('perMonths', { count: months }) : t('once')}</Text>
        </Group>
      ))}
      <ButtonLink to="/user/services/buy" search={{ kind: plan.kind, plan: plan.id }} mt="md">
        {t('buy')}
      </ButtonLink>
    </Card>
  )
}
