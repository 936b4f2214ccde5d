import type { PlanItem as Plan, PriceItem as Price } from '@/lib/api/gen/types.gen'
import { toAmount, toMinor } from '@/lib/money'

/** All periods on sale, in months, shortest first. */
export function periodsOf(plans: readonly Plan[]): number[] {
  const months = plans.flatMap((plan) => plan.prices.map((price) => price.months))
  return [...new Set(months)].toSorted((a, b) => a - b)
}

export const priceFor = (plan: Plan, months: number): Price | undefined =>
  plan.prices.find((price) => price.months === months)

/** What a price comes to for one month, to the cent. */
export const perMonth = ({ amount, months }: Price) =>
  toAmount(Math.round(toMinor(amount) / months))

/** Percent saved against paying the plan's shortest period again and again; 0 where there is nothing to save. */
export function savingOf(plan: Plan, months: number): number {
  const price = priceFor(plan, months)
  const shortest = plan.prices.toSorted((a, b) => a.months - b.months)[0]
  if (!price || !shortest || toMinor(shortest.amount) === 0) return 0
  const full = (toMinor(shortest.amount) / shortest.months) * months
  return Math.max(0, Math.round((1 - toMinor(price.amount) / full) * 100))
}

export type Trait = 'reset' | 'speed_mbps' | 'devices'
const traits: readonly Trait[] = ['speed_mbps', 'devices', 'reset']

/** What all plans have alike is said once, below them; the cards name the rest. */
export function splitTraits(plans: readonly Plan[]): { shared: Trait[]; own: Trait[] } {
  const isShared = (trait: Trait) =>
    plans.length > 1 && plans.every((plan) => plan[trait] === plans[0]?.[trait])
  return {
    shared: traits.filter(isShared),
    own: traits.filter((trait) => !isShared(trait)),
  }
}

export type Obstacle = 'soldOut' | 'limit' | 'current'

/** Why a plan can't be bought anew, if something is in the way. */
export function obstacleTo(plan: Plan): Obstacle | undefined {
  if (plan.stock === 0) return 'soldOut'
  return plan.per_user !== null && plan.bought >= plan.per_user ? 'limit' : undefined
}

/** What is selected where nothing was asked for: the plan in the middle of those one can buy. */
export function plainChoice(
  plans: readonly Plan[],
  months: number,
  obstacleOf: (plan: Plan) => Obstacle | undefined = obstacleTo,
): Plan | undefined {
  const onOffer = plans.filter((plan) => !obstacleOf(plan) && priceFor(plan, months))
  return onOffer[Math.floor((onOffer.length - 1) / 2)]
}
