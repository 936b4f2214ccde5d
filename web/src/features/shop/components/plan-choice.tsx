import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { OrderItem as Order, PlanItem as Plan, ServiceItem } from '@/lib/api/gen/types.gen'
import { useOrderText } from '@/lib/order-text'
import classes from '../buy-page.module.css'
import { type Obstacle, obstacleTo, periodsOf, priceFor, splitTraits, type Trait } from '../model'
import type { Purchase } from '../quote'
import { type Change, QuotedCompare } from './change-compare'
import { NotOnSale } from './not-on-sale'
import { PeriodControl } from './period-control'
import { PlanCard } from '@/ui/plan-card/plan-card'
import { Summary } from './summary'
import { useTraitText } from '@/ui/plan-card/trait-text'
import { useChosenPlan } from './use-chosen-plan'
import { useCouponSearch } from './use-coupon-search'

const route = getRouteApi('/user/services/buy')

type Props = {
  plans: readonly Plan[]
  /** The service to renew or to replace; none for an additional service. */
  service?: Pick<Purchase, 'renewServiceId' | 'changeServiceId'>
  /** The initial state of automatic renewal. */
  autoRenew?: boolean
  obstacleOf?: (plan: Plan) => Obstacle | undefined
  /** Whether a plan is selected initially. */
  hasDefault?: boolean
  /** The period that is selected initially, if it is on sale. */
  period?: number | undefined
  /** The service that the selected plan is compared with. */
  compared?: ServiceItem
  /** The order that is repeated. */
  previousOrder?: Order | undefined
  onBought: (orderNo: number) => Promise<void>
}

/** Plans side by side for one period, and the summary of the chosen one. */
export function PlanChoice(props: Props) {
  const { plans, obstacleOf = obstacleTo } = props
  const { t } = useTranslation('shop')
  const { what } = useOrderText()
  const { periods, months, chosen, concerned, purchase, isGone, choose } = useChoice(props)
  const coupon = useCouponSearch()
  const { shared, own } = splitTraits(plans)
  const change: Change | undefined = props.compared &&
    chosen && { service: props.compared, plan: chosen }

  return (
    <>
      <PeriodControl
        plan={concerned}
        periods={periods}
        months={months}
        onChange={(period) => choose({ months: period })}
      />
      <div className={classes.layout}>
        <div>
          <div role="radiogroup" aria-label={t('kind.plan')} className={classes.cards}>
            {plans.map((plan) => (
              <PlanCard
                key={plan.id}
                {...{ plan, months, traits: own, obstacle: obstacleOf(plan) }}
                isChosen={plan === chosen}
                onChoose={() => choose({ plan: plan.id })}
              />
            ))}
          </div>
          <SharedTraits plan={plans[0]} traits={shared} />
          {change && purchase && (
            <QuotedCompare {...change} purchase={purchase} coupon={coupon.coupon} />
          )}
        </div>
        {isGone && <NotOnSale />}
        {chosen && purchase && (
          <Summary
            name={what({ name: chosen.name, months })}
            purchase={purchase}
            autoRenew={props.autoRenew ?? props.previousOrder?.auto_renew}
            previousOrder={props.previousOrder}
            change={change}
            {...coupon}
            onBought={props.onBought}
          />
        )}
      </div>
    </>
  )
}

/** The choice of the address, resolved against the plans that are on sale now. */
function useChoice({ plans, service, obstacleOf = obstacleTo, hasDefault, period }: Props) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const periods = periodsOf(plans)
  const usual = period !== undefined && periods.includes(period) ? period : periods[0]
  const isPeriod = search.months === undefined || periods.includes(search.months)
  const months = (isPeriod ? search.months : undefined) ?? usual ?? 1
  const found = useChosenPlan(plans, months, search.plan, obstacleOf, hasDefault)
  const chosen = isPeriod || search.plan === undefined ? found : undefined
  const price = chosen && priceFor(chosen, months)
  return {
    periods,
    months,
    chosen,
    /** The plan whose savings the periods show, even if it is not sold for the chosen period. */
    concerned: chosen ?? plans.find(({ id }) => id === search.plan),
    purchase: price && { shopId: price.shop_id, ...service },
    isGone: !chosen && search.plan !== undefined,
    choose: (change: { plan?: number; months?: number }) =>
      void navigate({
        search: (before) => ({ ...before, ...change }),
        replace: true,
        resetScroll: false,
      }),
  }
}

/** Traits that all plans share. */
function SharedTraits({ plan, traits }: { plan: Plan | undefined; traits: readonly Trait[] }) {
  const { t } = useTranslation('shop')
  const traitText = useTraitText()
  if (!plan || traits.length === 0) return null
  return (
    <p className={classes.shared}>
      {t('allPlans')}
      {traits.map((trait) => (
        <span key={trait}>{traitText(plan, trait)}</span>
      ))}
    </p>
  )
}
