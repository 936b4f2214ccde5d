import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { OrderItem as Order, PlanItem as Plan } from '@/lib/api/gen/types.gen'
import { PackageCard } from '@/ui/plan-card/package-card'
import classes from '../buy-page.module.css'
import { obstacleTo } from '../model'
import { NotOnSale } from './not-on-sale'
import { Summary } from './summary'
import { useChosenPlan } from './use-chosen-plan'
import { useCouponSearch } from './use-coupon-search'

const route = getRouteApi('/user/services/buy')

/** Traffic packages, paid once. */
export function PackageChoice(props: {
  packages: readonly Plan[]
  /** The order that is repeated. */
  previousOrder?: Order | undefined
  onBought: (orderNo: number) => Promise<void>
}) {
  const { t } = useTranslation('shop')
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const coupon = useCouponSearch()
  const chosen = useChosenPlan(props.packages, 0, search.plan, obstacleTo)
  const price = chosen?.prices[0]
  return (
    <div className={classes.layout}>
      <div role="radiogroup" aria-label={t('kind.package')} className={classes.cards}>
        {props.packages.map((item) => (
          <PackageCard
            key={item.id}
            item={item}
            obstacle={obstacleTo(item)}
            isChosen={item === chosen}
            onChoose={() =>
              void navigate({
                search: (before) => ({ ...before, plan: item.id }),
                replace: true,
                resetScroll: false,
              })
            }
          />
        ))}
      </div>
      {!chosen && search.plan !== undefined && <NotOnSale />}
      {chosen && price && (
        <Summary
          name={chosen.name}
          purchase={{ shopId: price.shop_id }}
          previousOrder={props.previousOrder}
          {...coupon}
          onBought={props.onBought}
        />
      )}
    </div>
  )
}
