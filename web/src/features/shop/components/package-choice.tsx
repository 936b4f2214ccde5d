import { getRouteApi } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { OrderItem as Order, PlanItem as Plan } from '@/lib/api/gen/types.gen'
import { useCurrency } from '@/lib/currency'
import { Bytes } from '@/ui/bytes'
import { Money } from '@/ui/money'
import classes from '../buy-page.module.css'
import { obstacleTo } from '../model'
import card from './plan-card.module.css'
import { NotOnSale } from './not-on-sale'
import { Stock } from './stock'
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

function PackageCard(props: { item: Plan; isChosen: boolean; onChoose: () => void }) {
  const { t } = useTranslation('shop')
  const currency = useCurrency()
  const { item } = props
  const price = item.prices[0]
  const obstacle = obstacleTo(item)
  return (
    <label
      className={card.card}
      data-chosen={props.isChosen}
      data-disabled={obstacle !== undefined}
    >
      <input
        type="radio"
        name="package"
        className={card.radio}
        checked={props.isChosen}
        disabled={obstacle !== undefined}
        aria-label={item.name}
        onChange={props.onChoose}
      />
      <span className={card.head}>
        <span className={card.name}>{item.name}</span>
        <span className={card.mark} aria-hidden="true">
          {props.isChosen && <Check size={14} strokeWidth={3} />}
        </span>
      </span>
      <span className={card.price}>
        <Bytes bytes={item.traffic_bytes ?? 0} size="figure" />
      </span>
      <span className={card.total}>
        {item.valid_days === null ? t('untilUsed') : t('validDays', { count: item.valid_days })}
      </span>
      <span className={card.name}>
        {price && <Money amount={price.amount} currency={currency} />}
      </span>
      <Stock plan={item} obstacle={obstacle} />
    </label>
  )
}
