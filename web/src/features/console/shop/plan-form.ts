import { useTranslation } from 'react-i18next'
import { useCurrency } from '@/lib/currency'
import { staffPlanChangeRules as rules } from '@/lib/api/gen/staff/rules.gen'
import type { StaffPlan } from '@/lib/api/gen/staff/types.gen'
import { choicesOrNumbers } from '../parts/choices-or-numbers'
import type { Field } from '../parts/field'
import type { FormSection } from '../parts/resource-form'
import { useGroupOptions } from './group-options'
import { type Kind, monthsOf } from './plan-values'

const texts = ['name', 'name_zh', 'name_en', 'info', 'info_zh', 'info_en'] as const
const resets = ['anniversary', 'calendar_month', 'never'] as const
const whole = /^\d+$/
const decimal = /^\d+(\.\d{1,3})?$/
const noGroups: readonly number[] = []
const money = /^\d+(\.\d{1,2})?$/

/** The sections of a plan's form. */
export function usePlanSections(kind: Kind, plan?: StaffPlan): FormSection[] {
  return [useTexts(), usePrices(kind, plan), useLimits(kind, plan), useSale(kind)]
}

function useTexts(): FormSection {
  const { t } = useTranslation('console/shop')
  const fields = texts.map((name): Field => ({
    name,
    label: t(`field.${name}`),
    kind: name.startsWith('name') ? 'text' : 'textarea',
    rules: rules[name],
    isRequired: name === 'name',
    ...(/_(zh|en)$/.test(name) && { hint: t('hint.language') }),
  }))
  return { title: t('section.texts'), about: t('section.textsAbout'), fields: () => fields }
}

function usePrices(kind: Kind, plan: StaffPlan | undefined): FormSection {
  const { t } = useTranslation('console/shop')
  const currency = useCurrency()
  const fields = monthsOf(kind, plan).map((months): Field => ({
    name: `price_${months}`,
    label: months === 0 ? t('field.price') : t('field.pricePer', { count: months }),
    kind: 'money',
    rules: { pattern: money },
    isRequired: months === 0,
  }))
  return {
    title: t('section.prices', { currency }),
    ...(kind === 'plan' && { about: t('section.pricesAbout') }),
    fields: () => fields,
  }
}

function useGroups(plan: StaffPlan | undefined): Field {
  const { t } = useTranslation('console/shop')
  return choicesOrNumbers('groups', useGroupOptions(plan?.groups ?? noGroups), {
    choices: { label: t('field.groups'), hint: t('hint.groups') },
    numbers: { label: t('field.groupNumbers'), hint: t('hint.groupNumbers') },
  })
}

function useLimits(kind: Kind, plan: StaffPlan | undefined): FormSection {
  const { t } = useTranslation('console/shop')
  const isPackage = kind === 'package'
  const number = (name: 'class' | 'speed' | 'devices' | 'valid_days', hint: string): Field => ({
    name,
    label: t(`field.${name}`),
    hint,
    kind: 'number',
    rules: { pattern: whole },
  })
  const traffic: Field = {
    name: 'traffic',
    label: t(isPackage ? 'field.bytes' : 'field.traffic'),
    kind: 'number',
    rules: { pattern: decimal },
    isRequired: isPackage,
    ...(!isPackage && { hint: t('hint.unlimited') }),
  }
  const reset: Field = {
    name: 'reset',
    label: t('field.reset'),
    kind: 'choice',
    options: resets.map((value) => ({ value, label: t(`reset.${value}`) })),
  }
  const groups = useGroups(plan)
  const fields = isPackage
    ? [traffic, number('valid_days', t('hint.validDays'))]
    : [
        traffic,
        reset,
        number('class', t('hint.class')),
        groups,
        number('speed', t('hint.unlimited')),
        number('devices', t('hint.unlimited')),
      ]
  return { title: t('section.limits'), fields: () => fields }
}

function useSale(kind: Kind): FormSection {
  const { t } = useTranslation('console/shop')
  const number = (name: 'stock' | 'per_user'): Field => ({
    name,
    label: t(`field.${name}`),
    hint: t('hint.unlimited'),
    kind: 'number',
    rules: { pattern: whole },
  })
  const flag = (name: 'visible' | 'renewable'): Field => ({
    name,
    label: t(`field.${name}`),
    hint: t(`hint.${name}`),
    kind: 'switch',
  })
  const fields = [
    number('stock'),
    number('per_user'),
    flag('visible'),
    ...(kind === 'plan' ? [flag('renewable')] : []),
  ]
  return { title: t('section.sale'), fields: () => fields }
}
