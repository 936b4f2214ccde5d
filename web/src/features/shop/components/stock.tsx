import { useTranslation } from 'react-i18next'
import type { PlanItem as Plan } from '@/lib/api/gen/types.gen'
import type { Obstacle } from '../model'
import classes from './plan-card.module.css'

const FEW = 10

/** Why one can't have it, else how few there are and how many of them one may have. */
export function Stock(props: { plan: Plan; obstacle: Obstacle | undefined }) {
  const { t } = useTranslation('shop')
  const { stock, per_user: most } = props.plan
  const left = stock !== null && stock <= FEW ? [t('left', { count: stock })] : []
  const limit = most === null ? [] : [t('perUser', { count: most })]
  return (
    <span className={classes.stock}>
      {props.obstacle ? t(`obstacle.${props.obstacle}`) : [...left, ...limit].join(' · ')}
    </span>
  )
}
