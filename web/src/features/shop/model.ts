import type { PlanItem as Plan } from '@/lib/api/gen/types.gen'
import { toMinor } from '@/lib/money'
import { type Obstacle, priceFor, type Trait } from '@/ui/plan-card/model'

export { type Obstacle, perMonth, priceFor, type Trait } from '@/ui/plan-card/model'

/** All periods on sale, in months, shortest first. */
export function periodsOf(plans: readonly Plan[]): number[] {
  const months = plans.flatMap((plan) => plan.prices.map((price) => price.months))
  return [...new Set(months)].toSorted((a, b) => a - b)
}

/** Percent saved compared with repeating the plan's shortest period; 0 if nothing is saved. */
export function savingOf(plan: Plan, months: number): number {
  const price = priceFor(plan, months)
  const shortest = plan.prices.toSorted((a, b) => a.months - b.months)[0]
  if (!price || !shortest || toMinor(shortest.amount) === 0) return 0
  const full = (toMinor(shortest.amount) / shortest.months) * months
  return Math.max(0, Math.round((1 - toMinor(price.amount) / full) * 100))
}

const traits: readonly Trait[] = ['class_name', 'speed_mbps', 'devices', 'reset']

/** Separates traits that all plans share, which are listed once, from those that each card names. */
export function splitTraits(plans: readonly Plan[]): { shared: Trait[]; own: Trait[] } {
  const named = traits.filter(
    (trait) => trait !== 'class_name' || plans.every((plan) => plan.class_name !== ''),
  )
  const isShared = (trait: Trait) =>
    plans.length > 1 && plans.every((plan) => plan[trait] === plans[0]?.[trait])
  return {
    shared: named.filter(isShared),
    own: named.filter((trait) => !isShared(trait)),
  }
}

/** Why a plan cannot be bought, if there is a reason. */
export function obstacleTo(plan: Plan): Obstacle | undefined {
  if (plan.stock === 0) return 'soldOut'
  return plan.per_user !== null && plan.bought >= plan.per_user ? 'limit' : undefined
}

/** The initial selection: the middle one of the plans that can be bought. */
export function defaultPlan(
  plans: readonly Plan[],
  months: number,
  obstacleOf: (plan: Plan) => Obstacle | undefined = obstacleTo,
): Plan | undefined {
  const onOffer = plans.filter((plan) => !obstacleOf(plan) && priceFor(plan, months))
  return onOffer[Math.floor((onOffer.length - 1) / 2)]
}
