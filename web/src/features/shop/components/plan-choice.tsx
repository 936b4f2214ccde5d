import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { OrderItem as Order, PlanItem as Plan, ServiceItem } from '@/api/gen/types.gen'
import classes from '../buy-page.module.css'
import { type Obstacle, obstacleTo, periodsOf, priceFor, splitTraits, type Trait } from '../model'
import type { Purchase } from '../quote'
import { Gone } from './gone'
import { PeriodControl } from './period-control'
import { PlanCard } from './plan-card'
import { Summary } from './summary'
import { useTraitText } from './trait-text'
import { useChosen } from './use-chosen'
import { useCouponInAddress } from './use-coupon-in-address'

const route = getRouteApi('/user/services/buy')

/** Plans side by side for one period, and the summary of the chosen one. */
export function PlanChoice(props: {
  plans: readonly Plan[]
  /** The service to renew, or the one that ends for it; none: something new beside what one has. */
  service?: Pick<Purchase, 'renewServiceId' | 'changeServiceId'>
  /** Whether what is bought should renew itself, before the user says otherwise. */
  autoRenew?: boolean
  obstacleOf?: (plan: Plan) => Obstacle | undefined
  /** Whether a plan is chosen before the user says which. */
  hasDefault?: boolean
  /** The service that ends, with which the plan is compared. */
  compared?: ServiceItem
  /** The order that is made again. */
  before?: Order | undefined
  onBought: (order: Order) => void
}) {
  const { plans, obstacleOf = obstacleTo } = props
  const { t } = useTranslation('shop')
  const { search, choose } = useChoice()
  const coupon = useCouponInAddress()
  const periods = periodsOf(plans)
  const isPeriod = search.months === undefined || periods.includes(search.months)
  const months = (isPeriod ? search.months : undefined) ?? periods[0] ?? 1
  const found = useChosen(plans, months, search.plan, obstacleOf, props.hasDefault)
  const chosen = isPeriod || search.plan === undefined ? found : undefined
  const price = chosen && priceFor(chosen, months)
  const { shared, own } = splitTraits(plans)

  return (
    <>
      <PeriodControl
        plans={plans}
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
        </div>
        {!chosen && search.plan !== undefined && <Gone />}
        {chosen && price && (
          <Summary
            name={`${chosen.name} · ${t('months', { count: months })}`}
            purchase={{ shopId: price.shop_id, ...props.service }}
            autoRenew={props.autoRenew ?? props.before?.auto_renew}
            compared={props.compared && { service: props.compared, plan: chosen }}
            before={props.before}
            {...coupon}
            onBought={props.onBought}
          />
        )}
      </div>
    </>
  )
}

/** What was chosen, which stands in the address. */
function useChoice() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const choose = (change: { plan?: number; months?: number }) =>
    void navigate({
      search: (before) => ({ ...before, ...change }),
      replace: true,
      resetScroll: false,
    })
  return { search, choose }
}

/** What needs no comparing, because it is the same everywhere. */
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
