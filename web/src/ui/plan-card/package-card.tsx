import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { PlanItem as Plan } from '@/lib/api/gen/types.gen'
import { useCurrency } from '@/lib/currency'
import { Bytes } from '../bytes'
import { Money } from '../money'
import type { Obstacle } from './model'
import card from './plan-card.module.css'
import { Stock } from './stock'

/** One selectable traffic package: its bytes, how long they last, and its price. */
export function PackageCard(props: {
  item: Plan
  obstacle: Obstacle | undefined
  isChosen: boolean
  onChoose: () => void
}) {
  const { t } = useTranslation('shop')
  const currency = useCurrency()
  const { item, obstacle } = props
  const price = item.prices[0]
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
