import type { CouponChange, CouponItem, NewCouponBody } from '@/lib/api/gen/staff/types.gen'
import type { FormValues } from '../parts/resource-form'
import { inputTime, timeInput } from '../parts/time-input'

export const blankCoupon: FormValues = {
  code: '',
  off: 'percent',
  percent: '10',
  amount: '',
  valid_from: '',
  valid_to: '',
  total: '100',
  per_user: '1',
  plans: '',
  months: '',
  first_only: false,
  minimum: '',
  enabled: true,
}

export const couponValues = (coupon: CouponItem): FormValues => ({
  valid_from: timeInput(coupon.valid_from),
  valid_to: timeInput(coupon.valid_to),
  total: coupon.total === null ? '' : String(coupon.total),
  per_user: coupon.per_user === null ? '' : String(coupon.per_user),
  plans: coupon.plans.join(),
  months: coupon.months.join(', '),
  first_only: coupon.first_only,
  minimum: Number(coupon.minimum) === 0 ? '' : coupon.minimum,
  enabled: coupon.enabled,
})

const textOf = (values: FormValues, name: string) => String(values[name] ?? '').trim()

const numbersOf = (text: string) =>
  text
    .split(/[\s,，]+/)
    .filter(Boolean)
    .map(Number)

/** The terms of the form in the contract's words. */
function termsOf(values: FormValues): CouponChange {
  const from = inputTime(values.valid_from)
  return {
    ...(from && { valid_from: from }),
    valid_to: inputTime(values.valid_to),
    total: Number(textOf(values, 'total')),
    per_user: Number(textOf(values, 'per_user')),
    plans: numbersOf(textOf(values, 'plans')),
    months: numbersOf(textOf(values, 'months')),
    first_only: values.first_only === true,
    minimum: textOf(values, 'minimum') || '0',
    enabled: values.enabled === true,
  }
}

export const couponBody = (values: FormValues): NewCouponBody => ({
  ...termsOf(values),
  code: textOf(values, 'code'),
  ...(values.off === 'percent'
    ? { percent: Number(textOf(values, 'percent')) }
    : { amount: textOf(values, 'amount') }),
})

export const couponChange = (values: FormValues, changed: readonly string[]): CouponChange =>
  Object.fromEntries(Object.entries(termsOf(values)).filter(([name]) => changed.includes(name)))
