import { useState } from 'react'
import type { PlanItem as Plan } from '@/lib/api/gen/types.gen'
import { type Obstacle, plainChoice, priceFor } from '../model'

/**
 * The plan to buy: the one that was asked for, else for a start the middle one. It stays whatever becomes of the offer,
 * and where it is not on offer there is none: nobody buys what came in its place unseen.
 */
export function useChosen(
  plans: readonly Plan[],
  months: number,
  asked: number | undefined,
  obstacleOf: (plan: Plan) => Obstacle | undefined,
  hasDefault = true,
): Plan | undefined {
  const [first] = useState(() => hasDefault && plainChoice(plans, months, obstacleOf)?.id)
  const id = asked ?? first
  return plans.find((plan) => plan.id === id && priceFor(plan, months))
}
