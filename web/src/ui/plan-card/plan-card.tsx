import { Check } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { PlanItem as Plan, PriceItem as Price } from '@/lib/api/gen/types.gen'
import { useCurrency } from '@/lib/currency'
import { Bytes } from '../bytes'
import { Money } from '../money'
import { type Obstacle, perMonth, priceFor, type Trait } from './model'
import classes from './plan-card.module.css'
import { Stock } from './stock'
import { useTraitText } from './trait-text'

/** One selectable plan: its price per month, its traffic, and the traits in which it differs from the others. */
export function PlanCard(props: {
  plan: Plan
  months: number
  traits: readonly Trait[]
  obstacle: Obstacle | undefined
  isChosen: boolean
  onChoose: () => void
}) {
  const { plan } = props
  const { t } = useTranslation('shop')
  const traitText = useTraitText()
  const id = useId()
  const price = priceFor(plan, props.months)
  const canBuy = price !== undefined && !props.obstacle
  return (
    <label className={classes.card} data-chosen={props.isChosen} data-disabled={!canBuy}>
      <input
        type="radio"
        name="plan"
        className={classes.radio}
        checked={props.isChosen}
        disabled={!canBuy}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-facts`}
        onChange={props.onChoose}
      />
      <span className={classes.head}>
        <span id={`${id}-name`} className={classes.name}>
          {plan.name}
        </span>
        {props.obstacle === 'current' ? (
          <span className={classes.current}>{t('obstacle.current')}</span>
        ) : (
          <span className={classes.mark} aria-hidden="true">
            {props.isChosen && <Check size={14} strokeWidth={3} />}
          </span>
        )}
      </span>
      <span className={classes.summary}>{plan.info}</span>
      <PlanPrice price={price} />
      <span id={`${id}-facts`} className={classes.facts}>
        <Fact>
          <b>
            {plan.traffic_bytes === null ? (
              t('trait.anyTraffic')
            ) : (
              <Bytes bytes={plan.traffic_bytes} />
            )}
          </b>
          {plan.traffic_bytes !== null && plan.reset !== 'never' && ` ${t('perMonth')}`}
        </Fact>
        {props.traits.map((trait) => (
          <Fact key={trait}>{traitText(plan, trait)}</Fact>
        ))}
      </span>
      {props.obstacle === 'current' ? <span /> : <Stock plan={plan} obstacle={props.obstacle} />}
    </label>
  )
}

/** The price per month in large type, the price of the period below it. */
function PlanPrice({ price }: { price: Price | undefined }) {
  const { t } = useTranslation('shop')
  const currency = useCurrency()
  if (!price) {
    return (
      <>
        <span className={classes.price}>{t('notForPeriod')}</span>
        <span />
      </>
    )
  }
  return (
    <>
      <span className={classes.price}>
        <Money amount={perMonth(price)} currency={currency} size="figure" />
        <span className={classes.quiet}>{t('perMonth')}</span>
      </span>
      <span className={classes.total}>
        {price.months > 1 && (
          <>
            {t('months', { count: price.months })}{' '}
            <Money amount={price.amount} currency={currency} />
          </>
        )}
      </span>
    </>
  )
}

function Fact({ children }: { children: React.ReactNode }) {
  return (
    <span className={classes.fact}>
      <Check size={16} strokeWidth={2} aria-hidden="true" className={classes.check} />
      <span>{children}</span>
    </span>
  )
}
