import { Card } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Store } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { shopPlansOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { PlanItem as Plan } from '@/lib/api/gen/types.gen'
import { useOrderText } from '@/lib/order-text'
import { OwnBan } from '@/ui/ban-notice'
import { ButtonLink } from '@/ui/button-link'
import { Bytes } from '@/ui/bytes'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import classes from './buy-page.module.css'
import { ChoiceSkeleton } from './components/choice-skeleton'
import { PurchaseResult } from './components/purchase-result'
import { Summary } from './components/summary'
import { useTraitText } from '@/ui/plan-card/trait-text'
import { WaitingOrder } from './components/waiting-order'

const route = getRouteApi('/user/shop-old/payment')

/** The second step of the classic shop: payment of what was chosen in its list. */
export function ShopPaymentPage() {
  const { t } = useTranslation('shop')
  const { shop, done } = route.useSearch()
  const navigate = route.useNavigate()
  const plans = useQuery(shopPlansOptions())
  if (done !== undefined) {
    return <PurchaseResult orderNo={done} onMore={() => void navigate({ to: '/user/shop-old' })} />
  }
  const showResult = (orderNo: number) => navigate({ search: { done: orderNo }, replace: true })
  return (
    <>
      <PageHeader title={t('old.payment')} />
      <OwnBan />
      <WaitingOrder />
      <Loaded query={plans} skeleton={<ChoiceSkeleton cards={1} />} hasCards>
        {(items) => {
          const plan = items.find(({ prices }) => prices.some(({ shop_id }) => shop_id === shop))
          return plan && shop ? (
            <Payment plan={plan} shopId={shop} onBought={showResult} />
          ) : (
            <Card>
              <Empty
                icon={Store}
                text={shop ? t('old.gone') : t('old.nothingChosen')}
                action={<ButtonLink to="/user/shop-old">{t('old.choose')}</ButtonLink>}
              />
            </Card>
          )
        }}
      </Loaded>
    </>
  )
}

function Payment(props: {
  plan: Plan
  shopId: number
  onBought: (orderNo: number) => Promise<void>
}) {
  const { what } = useOrderText()
  const { plan, shopId } = props
  const { coupon } = route.useSearch()
  const navigate = route.useNavigate()
  const months = plan.prices.find(({ shop_id }) => shop_id === shopId)?.months ?? 0
  return (
    <div className={classes.layout}>
      <Chosen plan={plan} />
      <Summary
        name={what({ name: plan.name, months })}
        purchase={{ shopId }}
        coupon={coupon}
        onCoupon={(code) =>
          void navigate({
            search: (before) => ({ ...before, coupon: code }),
            replace: true,
            resetScroll: false,
          })
        }
        onBought={props.onBought}
      />
    </div>
  )
}

function Chosen({ plan }: { plan: Plan }) {
  const { t } = useTranslation('shop')
  const traitText = useTraitText()
  return (
    <Card component="section" aria-label={plan.name}>
      <h2 className={classes.chosen}>{plan.name}</h2>
      <p className={classes.shared}>{plan.info}</p>
      <ul className={classes.facts}>
        <li>
          {plan.traffic_bytes === null ? (
            t('trait.anyTraffic')
          ) : (
            <Bytes bytes={plan.traffic_bytes} />
          )}
        </li>
        {plan.kind === 'plan' &&
          (['speed_mbps', 'devices', 'reset'] as const).map((trait) => (
            <li key={trait}>{traitText(plan, trait)}</li>
          ))}
      </ul>
      <div>
        <ButtonLink variant="default" size="sm" to="/user/shop-old">
          {t('old.other')}
        </ButtonLink>
      </div>
    </Card>
  )
}
