import { useTranslation } from 'react-i18next'
import { staffShareAccountAddRules as rules } from '@/lib/api/gen/staff/rules.gen'
import type { ShareAccountBody, StaffShareAccount } from '@/lib/api/gen/staff/types.gen'
import { choicesOrNumbers } from '../parts/choices-or-numbers'
import type { Field } from '../parts/field'
import { usePlanOptions } from '../parts/plan-names'
import type { FormSection, FormValues } from '../parts/resource-form'

const texts = ['name', 'name_zh', 'name_en', 'url', 'login', 'note', 'note_zh', 'note_en'] as const
const numbers = ['class', 'group', 'sort'] as const

export const blankShare: FormValues = {
  ...Object.fromEntries(texts.map((name) => [name, ''])),
  ...Object.fromEntries(numbers.map((name) => [name, '0'])),
  plan_ids: '',
  max_users: '',
  expires_at: '',
  is_enabled: true,
  password: '',
  totp: '',
}

export const shareValues = (one: StaffShareAccount): FormValues => ({
  ...Object.fromEntries(texts.map((name) => [name, one[name] ?? ''])),
  ...Object.fromEntries(numbers.map((name) => [name, String(one[name] ?? 0)])),
  plan_ids: one.plan_ids?.join() ?? '',
  max_users: one.max_users ? String(one.max_users) : '',
  expires_at: inputOf(one.expires_at),
  is_enabled: one.is_enabled,
})

const MINUTE_LENGTH = 'YYYY-MM-DDTHH:mm'.length
const MINUTE_MS = 60_000

/** A time as an input of the browser has it: in its zone, to the minute. */
function inputOf(time: string | null | undefined): string {
  if (!time) return ''
  const date = new Date(time)
  const shift = date.getTimezoneOffset() * MINUTE_MS
  return new Date(date.getTime() - shift).toISOString().slice(0, MINUTE_LENGTH)
}

export const shareBody = (values: FormValues): ShareAccountBody => ({
  ...Object.fromEntries(texts.map((name) => [name, values[name]])),
  name: String(values.name),
  class: Number(values.class || 0),
  group: Number(values.group || 0),
  sort: Number(values.sort || 0),
  plan_ids: String(values.plan_ids)
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number),
  max_users: values.max_users ? Number(values.max_users) : null,
  expires_at: values.expires_at ? new Date(String(values.expires_at)).toISOString() : null,
  is_enabled: values.is_enabled === true,
})

function usePlansField(account: StaffShareAccount | undefined): Field {
  const { t } = useTranslation('console/support')
  const options = usePlanOptions({
    kind: 'plan',
    ...(account?.plan_ids && { chosen: account.plan_ids }),
  })
  const words = {
    choices: { label: t('share.plan_ids'), hint: t('hint.plans') },
    numbers: { label: t('share.planNumbers'), hint: t('hint.planNumbers') },
  }
  return choicesOrNumbers('plan_ids', options, words, /^\d+([\s,]+\d+)*$/)
}

/** The sections of a share account's form; only a new one asks for the secret. */
export function useShareSections(account?: StaffShareAccount): FormSection[] {
  const { t } = useTranslation('console/support')
  const text = (name: (typeof texts)[number]): Field => ({
    name,
    label: name === 'name' ? t('column.name') : t(`share.${name}`),
    kind: name.startsWith('note') ? 'textarea' : 'text',
    ...(name === 'name' && { isRequired: true, rules: rules.name }),
    ...(/_(zh|en)$/.test(name) && { hint: t('hint.language') }),
  })
  const number = (name: (typeof numbers)[number] | 'max_users', hint: string): Field => ({
    name,
    label: t(`share.${name}`),
    hint,
    kind: 'number',
    rules: { pattern: /^\d{1,6}$/ },
  })
  const secret: Field[] = [
    {
      name: 'password',
      label: t('share.password'),
      kind: 'secret',
      isRequired: true,
      rules: rules.password,
    },
    {
      name: 'totp',
      label: t('share.totp'),
      hint: t('hint.totp'),
      kind: 'secret',
      rules: rules.totp,
    },
  ]
  const plans = usePlansField(account)
  const ends: Field = { name: 'expires_at', label: t('share.expires_at'), kind: 'datetime' }
  const offered: Field = { name: 'is_enabled', label: t('share.is_enabled'), kind: 'switch' }
  return [
    { title: t('section.account'), fields: () => texts.map(text) },
    ...(account === undefined
      ? [{ title: t('section.secret'), about: t('hint.secret'), fields: () => secret }]
      : []),
    {
      title: t('section.forWhom'),
      fields: () => [
        offered,
        plans,
        number('class', t('hint.class')),
        number('group', t('hint.group')),
        number('max_users', t('hint.maxUsers')),
        ends,
        number('sort', t('hint.position')),
      ],
    },
  ]
}
