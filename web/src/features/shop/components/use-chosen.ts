import { useState } from 'react'
import type { PlanItem as Plan } from '@/api/gen/types.gen'
import { chosenPlan, type Obstacle, priceFor } from '../model'

/** The plan to buy. Once shown it stays, whatever becomes of the offer: nobody buys what came in its place unseen. */
export function useChosen(
  plans: readonly Plan[],
  months: number,
  asked: number | undefined,
  obstacleOf: (plan: Plan) => Obstacle | undefined,
): Plan | undefined {
  const [first] = useState(() => ({
    asked,
    id: chosenPlan(plans, months, asked, obstacleOf)?.id,
  }))
  const id = asked === first.asked ? first.id : asked
  const kept = plans.find((plan) => plan.id === id && priceFor(plan, months))
  return kept ?? chosenPlan(plans, months, undefined, obstacleOf)
}
