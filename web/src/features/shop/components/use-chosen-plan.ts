import { useState } from 'react'
import type { PlanItem as Plan } from '@/lib/api/gen/types.gen'
import { type Obstacle, defaultPlan, priceFor } from '../model'

/**
 * The plan to buy: the requested one, else initially the middle one. The choice never moves to another plan by itself:
 * if the chosen plan is no longer on sale there is none, so that nobody buys a replacement without noticing.
 */
export function useChosenPlan(
  plans: readonly Plan[],
  months: number,
  asked: number | undefined,
  obstacleOf: (plan: Plan) => Obstacle | undefined,
  hasDefault = true,
): Plan | undefined {
  const [first] = useState(() => hasDefault && defaultPlan(plans, months, obstacleOf)?.id)
  const id = asked ?? first
  return plans.find((plan) => plan.id === id && priceFor(plan, months))
}
