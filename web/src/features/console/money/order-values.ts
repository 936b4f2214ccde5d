import { toMinor } from '@/lib/money'
import type { OrderBody, StaffPlan, UserService } from '@/lib/api/gen/staff/types.gen'
import type { FormValues } from '../parts/resource-form'

/** How an order by staff is paid. */
export type Pay = 'wallet' | 'user' | 'paid' | 'free'

export const blank: FormValues = {
  plan: '',
  months: '',
  how: 'new',
  price: '',
  pay: 'wallet',
  gateway: '',
  auto_renew: false,
  reason: '',
}

/** What the form says, with what is not chosen yet filled in. */
export type Wanted = {
  plan: StaffPlan
  months: number
  listed: string
  /** Absent: the listed one. */
  price: string | undefined
  renews: number | undefined
  changes: number | undefined
  pay: Pay
}

export const amount = /^\d+(\.\d{1,2})?$/

/** Whether what is typed is an amount of money. */
export const isAmount = (typed: string) => amount.test(typed)

export const isRunning = ({ ended_at: ended }: UserService) => ended === null

/** The plans that staff can order: those in the shop, shown or hidden, that have a price. */
export const sold = (plans: readonly StaffPlan[]) =>
  plans.filter(({ archived_at: archived, prices }) => archived === null && prices.length > 0)

/** The plan that is chosen; the first one where none is yet. */
export const planIn = (values: FormValues, plans: readonly StaffPlan[]) =>
  plans.find(({ id }) => String(id) === values.plan) ?? plans[0]

export function wantedOf(values: FormValues, plans: readonly StaffPlan[]): Wanted | undefined {
  const plan = planIn(values, plans)
  const price =
    plan?.prices.find(({ months }) => String(months) === values.months) ?? plan?.prices[0]
  if (!plan || !price) return undefined
  const [how, id] = String(values.how).split(':')
  const isPlan = plan.kind === 'plan'
  return {
    plan,
    months: price.months,
    listed: price.amount,
    price: String(values.price).trim() || undefined,
    renews: isPlan && how === 'renew' ? Number(id) : undefined,
    changes: isPlan && how === 'change' ? Number(id) : undefined,
    pay: values.pay as Pay,
  }
}

/** The order as the server takes it. */
export function bodyOf(values: FormValues, wanted: Wanted, gateway: string): OrderBody {
  return {
    plan_id: wanted.plan.id,
    price: wanted.price ?? wanted.listed,
    reason: String(values.reason).trim(),
    ...(wanted.months > 0 && { months: wanted.months }),
    ...(wanted.renews !== undefined && { renew_service_id: wanted.renews }),
    ...(wanted.changes !== undefined && { change_service_id: wanted.changes }),
    ...(wanted.renews === undefined && values.auto_renew === true && { auto_renew: true }),
    ...(wanted.pay !== 'wallet' && { gateway }),
  }
}

/** What the price is below the listed one; 0: nothing. */
export const below = ({ price, listed }: Wanted) =>
  price === undefined ? 0 : Math.max(0, toMinor(listed) - toMinor(price))
