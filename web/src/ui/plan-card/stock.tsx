import { useTranslation } from 'react-i18next'
import type { PlanItem as Plan } from '@/lib/api/gen/types.gen'
import type { Obstacle } from './model'
import classes from './plan-card.module.css'

const LOW_STOCK = 10

/** Why the plan cannot be bought, else its low stock and its limit per user. */
export function Stock(props: { plan: Plan; obstacle: Obstacle | undefined }) {
  const { t } = useTranslation('shop')
  const { stock, per_user: maxPerUser } = props.plan
  const lowStock = stock !== null && stock <= LOW_STOCK ? [t('left', { count: stock })] : []
  const limit = maxPerUser === null ? [] : [t('perUser', { count: maxPerUser })]
  return (
    <span className={classes.stock}>
      {props.obstacle ? t(`obstacle.${props.obstacle}`) : [...lowStock, ...limit].join(' · ')}
    </span>
  )
}
