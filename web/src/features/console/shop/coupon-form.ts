import { useTranslation } from 'react-i18next'
import { useCurrency } from '@/lib/currency'
import { staffCouponMakeRules as rules } from '@/lib/api/gen/staff/rules.gen'
import type { CouponItem } from '@/lib/api/gen/staff/types.gen'
import { choicesOrNumbers, numbers } from '../parts/choices-or-numbers'
import type { Field } from '../parts/field'
import { usePlanOptions } from '../parts/plan-names'
import type { FormSection } from '../parts/resource-form'

const whole = /^\d+$/
const money = /^\d+(\.\d{1,2})?$/

/** The sections of a coupon's form. What a coupon takes off never changes, so only a new one asks for it. */
export function useCouponSections(coupon?: CouponItem): FormSection[] {
  const terms = useTerms(coupon)
  const use = useUse()
  const off = useOff()
  return coupon ? [use, terms] : [off, use, terms]
}

function useOff(): FormSection {
  const { t } = useTranslation('console/coupon')
  const currency = useCurrency()
  const code: Field = {
    name: 'code',
    label: t('field.code'),
    hint: t('hint.code'),
    kind: 'text',
    isRequired: true,
    rules: { ...rules.code, pattern: /^[A-Za-z0-9_-]{3,32}$/ },
  }
  const off: Field = {
    name: 'off',
    label: t('field.off'),
    kind: 'choice',
    options: (['percent', 'amount'] as const).map((value) => ({ value, label: t(`off.${value}`) })),
  }
  const percent: Field = {
    name: 'percent',
    label: t('field.percent'),
    kind: 'number',
    isRequired: true,
    rules: { pattern: whole },
  }
  const amount: Field = {
    name: 'amount',
    label: t('field.amount', { currency }),
    kind: 'money',
    isRequired: true,
    rules: { pattern: money },
  }
  return {
    title: t('section.off'),
    about: t('section.offAbout'),
    fields: (values) => [code, off, values.off === 'percent' ? percent : amount],
  }
}

function useUse(): FormSection {
  const { t } = useTranslation('console/coupon')
  const fields: Field[] = [
    {
      name: 'total',
      label: t('field.total'),
      hint: t('hint.total'),
      kind: 'number',
      rules: { pattern: whole },
    },
    {
      name: 'per_user',
      label: t('field.per_user'),
      hint: t('hint.none'),
      kind: 'number',
      rules: { pattern: whole },
    },
    { name: 'valid_from', label: t('field.valid_from'), hint: t('hint.from'), kind: 'datetime' },
    { name: 'valid_to', label: t('field.valid_to'), hint: t('hint.to'), kind: 'datetime' },
    { name: 'enabled', label: t('field.enabled'), hint: t('hint.enabled'), kind: 'switch' },
  ]
  return { title: t('section.use'), fields: () => fields }
}

function usePlansField(coupon: CouponItem | undefined): Field {
  const { t } = useTranslation('console/coupon')
  const options = usePlanOptions(coupon && { chosen: coupon.plans })
  return choicesOrNumbers('plans', options, {
    choices: { label: t('field.plans'), hint: t('hint.plans') },
    numbers: { label: t('field.planNumbers'), hint: t('hint.planNumbers') },
  })
}

function useTerms(coupon: CouponItem | undefined): FormSection {
  const { t } = useTranslation('console/coupon')
  const currency = useCurrency()
  const fields: Field[] = [
    usePlansField(coupon),
    {
      name: 'months',
      label: t('field.months'),
      hint: t('hint.months'),
      kind: 'text',
      rules: { pattern: numbers },
    },
    {
      name: 'minimum',
      label: t('field.minimum', { currency }),
      hint: t('hint.none'),
      kind: 'money',
      rules: { pattern: money },
    },
    { name: 'first_only', label: t('field.first_only'), kind: 'switch' },
  ]
  return { title: t('section.terms'), fields: () => fields }
}
