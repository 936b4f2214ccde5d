import type { PlanItem as Plan, PriceItem as Price } from '@/lib/api/gen/types.gen'
import { toAmount, toMinor } from '@/lib/money'

export const priceFor = (plan: Plan, months: number): Price | undefined =>
  plan.prices.find((price) => price.months === months)

/** The price per month, rounded to the cent. */
export const perMonth = ({ amount, months }: Price) =>
  toAmount(Math.round(toMinor(amount) / months))

export type Trait = 'reset' | 'speed_mbps' | 'devices' | 'class_name'

export type Obstacle = 'soldOut' | 'limit' | 'current'
