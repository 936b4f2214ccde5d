import { useTranslation } from 'react-i18next'
import { staffGatewayAddRules as rules } from '@/lib/api/gen/staff/rules.gen'
import type { GatewayAccount, GatewayKind } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import type { Field } from '../parts/field'
import { renameFields } from '../parts/rename-fields'
import type { FormSection } from '../parts/resource-form'
import { hasNotifies } from './gateway-state'
import { credentialField } from './gateway-values'

const money = /^\d+(\.\d{1,2})?$/
const icons = [
  'alipay',
  'bank',
  'card',
  'cash',
  'crypto',
  'epay',
  'manual',
  'sandbox',
  'stripe',
  'wallet',
  'wechatpay',
] as const

/** The sections of a gateway's form, made from the fields of its kind. */
export function useGatewaySections(kind: GatewayKind, account?: GatewayAccount): FormSection[] {
  return [useShown(kind, account === undefined), useCredentials(kind, account), useCosts(kind)]
}

function useShown({ name: kind }: GatewayKind, isNew: boolean): FormSection {
  const { t } = useTranslation('console/gateway')
  const name: Field = {
    name: 'name',
    label: t('field.name'),
    hint: t(hasNotifies(kind) ? 'hint.name' : 'hint.nameByHand'),
    kind: 'text',
    isRequired: true,
    rules: { ...rules.name, pattern: /^[a-z0-9_-]+$/ },
  }
  const title = (field: 'title_zh' | 'title_en'): Field => ({
    name: field,
    label: t(`field.${field}`),
    hint: t('hint.title'),
    kind: 'text',
    rules: rules[field],
  })
  const icon: Field = {
    name: 'icon',
    label: t('field.icon'),
    kind: 'choice',
    options: [
      { value: '', label: t('iconOfKind') },
      ...icons.map((value) => ({ value, label: t(`icon.${value}`) })),
    ],
  }
  const enabled: Field = {
    name: 'enabled',
    label: t('field.enabled'),
    hint: t('hint.enabled'),
    kind: 'switch',
  }
  const fields = [...(isNew ? [name] : []), title('title_zh'), title('title_en'), icon, enabled]
  return { title: t('section.shown'), fields: () => fields }
}

function useCredentials(kind: GatewayKind, account: GatewayAccount | undefined): FormSection {
  const { t } = useTranslation('console/gateway')
  const fields = kind.fields.map(
    ({ name, title, required, long, public: isPublic, choices }): Field => {
      const isSet = account?.credentials.includes(name) === true
      if (isPublic) {
        return {
          name: credentialField(name),
          label: title,
          kind: long ? 'textarea' : 'text',
          isRequired: required,
        }
      }
      return {
        name: credentialField(name),
        label: title,
        isRequired: required && !isSet,
        ...(isSet && { hint: t('hint.set') }),
        ...(choices.length > 0
          ? {
              kind: 'choice',
              options: ['', ...choices].map((value) => ({
                value,
                label: value || t(account ? 'unchanged' : 'byDefault'),
              })),
            }
          : { kind: 'secret', isLong: long }),
      }
    },
  )
  if (kind.fields.every((field) => field.public))
    return { title: t('section.public'), about: t('section.publicAbout'), fields: () => fields }
  return {
    title: t('section.credentials'),
    about: t(account ? 'section.credentialsAbout' : 'section.credentialsOfNew'),
    fields: () => fields,
  }
}

function useCosts(kind: GatewayKind): FormSection {
  const { t } = useTranslation('console/gateway')
  const site = useCurrency()
  const amount = (name: 'fee_fixed' | 'minimum' | 'maximum', hint: string): Field => ({
    name,
    label: t(`field.${name}`, { currency: site }),
    hint,
    kind: 'money',
    rules: { pattern: money },
  })
  const currency: Field = {
    name: 'currency',
    label: t('field.currency'),
    kind: 'choice',
    options: kind.currencies.map((value) => ({ value, label: value })),
  }
  const rate: Field = {
    name: 'rate',
    label: t('field.rate', { currency: site }),
    kind: 'text',
    isRequired: true,
    rules: rules.rate,
  }
  const percent: Field = {
    name: 'fee_percent',
    label: t('field.fee_percent'),
    hint: t('hint.fee'),
    kind: 'text',
    rules: rules.fee_percent,
  }
  return {
    title: t('section.costs'),
    fields: (values) => [
      currency,
      ...(values.currency === site || values.currency === '' ? [] : [rate]),
      percent,
      amount('fee_fixed', t('hint.fee')),
      amount('minimum', t('hint.limit')),
      amount('maximum', t('hint.limit')),
    ],
  }
}

/** The server calls credentials `credentials.pid`: its problems are put at the form's fields of them. */
export const atFields = <T>(call: Promise<T>): Promise<T> =>
  renameFields(call, (field) => field.replace(/^credentials\./, 'credentials_'))
