import type { NewPlanBody, PlanTerms, StaffPlan } from '@/lib/api/gen/staff/types.gen'
import type { PlanItem } from '@/lib/api/gen/types.gen'
import type { FormValues } from '../parts/resource-form'

const GB = 1024 ** 3

export type Kind = StaffPlan['kind']

const texts = ['name', 'name_zh', 'name_en', 'info', 'info_zh', 'info_en'] as const

/** Periods that the form offers beside those that the plan has. */
const usualMonths = [1, 3, 6, 12, 24]

/** The months of the form's prices: 0 of a package. */
export const monthsOf = (kind: Kind, plan?: StaffPlan) =>
  kind === 'package'
    ? [0]
    : [...new Set([...usualMonths, ...(plan?.prices.map(({ months }) => months) ?? [])])].toSorted(
        (one, other) => one - other,
      )

export const blank = (kind: Kind): FormValues => ({
  ...Object.fromEntries(texts.map((name) => [name, ''])),
  ...Object.fromEntries(monthsOf(kind).map((months) => [`price_${months}`, ''])),
  traffic: '100',
  reset: kind === 'package' ? 'never' : 'anniversary',
  class: '0',
  groups: '',
  speed: '',
  devices: '',
  valid_days: '',
  stock: '',
  per_user: '',
  visible: true,
  renewable: kind === 'plan',
})

const limit = (value: number | null) => (value === null ? '' : String(value))

export const valuesOf = (plan: StaffPlan): FormValues => ({
  ...Object.fromEntries(texts.map((name) => [name, plan[name]])),
  ...Object.fromEntries(
    monthsOf(plan.kind, plan).map((months) => [
      `price_${months}`,
      plan.prices.find((price) => price.months === months)?.amount ?? '',
    ]),
  ),
  traffic: plan.traffic_bytes === null ? '' : String(plan.traffic_bytes / GB),
  reset: plan.reset,
  class: String(plan.class),
  groups: plan.groups.join(),
  speed: limit(plan.speed_mbps),
  devices: limit(plan.devices),
  valid_days: limit(plan.valid_days),
  stock: limit(plan.stock),
  per_user: limit(plan.per_user),
  visible: plan.state !== 'hidden',
  renewable: plan.renewable,
})

const textOf = (values: FormValues, name: string) => String(values[name] ?? '').trim()

const numberOr = (values: FormValues, name: string, none: number) =>
  textOf(values, name) === '' ? none : Number(textOf(values, name))

const numbersOf = (text: string) =>
  text
    .split(/[\s,，]+/)
    .filter(Boolean)
    .map(Number)

/** The prices of the form, in the contract's shape; an empty one is not offered. */
const pricesOf = (values: FormValues) =>
  Object.keys(values)
    .filter((name) => name.startsWith('price_') && textOf(values, name) !== '')
    .map((name) => ({ months: Number(name.slice('price_'.length)), amount: textOf(values, name) }))
    .toSorted((one, other) => one.months - other.months)

/** The form in the contract's words, by the field that each part comes from. */
function termsOf(values: FormValues): Record<string, PlanTerms> {
  return {
    ...Object.fromEntries(texts.map((name) => [name, { [name]: textOf(values, name) }])),
    traffic: { traffic_bytes: Math.round(numberOr(values, 'traffic', 0) * GB) },
    reset: { reset: values.reset as PlanItem['reset'] },
    class: { class: numberOr(values, 'class', 0) },
    groups: { groups: numbersOf(textOf(values, 'groups')) },
    speed: { speed_mbps: numberOr(values, 'speed', 0) },
    devices: { devices: numberOr(values, 'devices', 0) },
    valid_days: { valid_days: numberOr(values, 'valid_days', 0) },
    stock: { stock: numberOr(values, 'stock', -1) },
    per_user: { per_user: numberOr(values, 'per_user', 0) },
    visible: { visible: values.visible === true },
    renewable: { renewable: values.renewable === true },
    prices: { prices: pricesOf(values) },
  }
}

const isPrice = (name: string) => name.startsWith('price_')

export const bodyOf = (kind: Kind, values: FormValues): NewPlanBody =>
  Object.assign({ kind }, ...Object.values(termsOf(values)))

/** What changed; prices go together. */
export function changeOf(values: FormValues, changed: readonly string[]): PlanTerms {
  const names = new Set(changed.map((name) => (isPrice(name) ? 'prices' : name)))
  const terms = Object.entries(termsOf(values)).filter(([name]) => names.has(name))
  return Object.assign({}, ...terms.map(([, term]) => term))
}

/** How many services renew themselves at prices that the form changes. */
export const renewalsAffected = (plan: StaffPlan, changed: readonly string[]) =>
  plan.prices
    .filter(({ months }) => changed.includes(`price_${months}`))
    .reduce((sum, { renewals }) => sum + (renewals ?? 0), 0)

/** The plan of the form as customers get it from the shop. */
export function previewOf(
  kind: Kind,
  values: FormValues,
  language: 'zh' | 'en',
  plan?: StaffPlan,
): PlanItem {
  const first = (name: string) => textOf(values, `${name}_${language}`) || textOf(values, name)
  const limitOf = (name: string) => (textOf(values, name) === '' ? null : numberOr(values, name, 0))
  const traffic = limitOf('traffic')
  return {
    id: plan?.id ?? 0,
    kind,
    name: first('name'),
    info: first('info'),
    traffic_bytes: traffic === null ? null : Math.round(traffic * GB),
    reset: values.reset as PlanItem['reset'],
    class: numberOr(values, 'class', 0),
    class_name: plan && String(plan.class) === textOf(values, 'class') ? plan.class_name : '',
    groups: [],
    speed_mbps: limitOf('speed'),
    devices: limitOf('devices'),
    valid_days: limitOf('valid_days'),
    stock: limitOf('stock'),
    per_user: limitOf('per_user'),
    bought: 0,
    renewable: values.renewable === true,
    prices: pricesOf(values).map((price) => ({ ...price, shop_id: 0 })),
  }
}
