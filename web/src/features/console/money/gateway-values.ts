import type { GatewayAccount, GatewayChange, GatewayKind } from '@/lib/api/gen/staff/types.gen'
import type { FormValues } from '../parts/resource-form'

/** The form's name of a credential: a point would make it a part of another field. */
export const credentialField = (name: string) => `credentials_${name}`

const texts = ['title_zh', 'title_en', 'icon', 'currency'] as const

/** In the site's currency where the platform takes it. */
export const blankGateway = (kind: GatewayKind, site: string): FormValues => ({
  name: kind.name,
  ...Object.fromEntries(texts.map((name) => [name, ''])),
  ...Object.fromEntries(kind.fields.map(({ name }) => [credentialField(name), ''])),
  currency: kind.currencies.includes(site) ? site : (kind.currencies[0] ?? ''),
  fee_percent: '0',
  fee_fixed: '0',
  minimum: '',
  maximum: '',
  rate: '',
  enabled: true,
})

export const gatewayValues = (account: GatewayAccount, kind: GatewayKind): FormValues => ({
  ...Object.fromEntries(texts.map((name) => [name, account[name]])),
  ...Object.fromEntries(
    kind.fields.map(({ name }) => [credentialField(name), account.public[name] ?? '']),
  ),
  fee_percent: account.fee_percent,
  fee_fixed: account.fee_fixed,
  minimum: account.minimum ?? '',
  maximum: account.maximum ?? '',
  rate: account.rate ?? '',
  enabled: account.enabled,
})

const textOf = (values: FormValues, name: string) => String(values[name] ?? '').trim()

/** What of the form is sent: of secret credentials only those that were filled in. */
export function gatewayChange(
  kind: GatewayKind,
  values: FormValues,
  changed: readonly string[],
): GatewayChange {
  const plain = [...texts, 'fee_percent', 'rate'].filter((name) => changed.includes(name))
  const amounts = ['fee_fixed', 'minimum', 'maximum'].filter((name) => changed.includes(name))
  const filled = kind.fields.filter(({ name, public: isPublic }) =>
    isPublic
      ? changed.includes(credentialField(name))
      : textOf(values, credentialField(name)) !== '',
  )
  return {
    ...Object.fromEntries(plain.map((name) => [name, textOf(values, name)])),
    ...Object.fromEntries(amounts.map((name) => [name, textOf(values, name) || '0'])),
    ...(changed.includes('enabled') && { enabled: values.enabled === true }),
    ...(filled.length > 0 && {
      credentials: Object.fromEntries(
        filled.map(({ name }) => [name, textOf(values, credentialField(name))]),
      ),
    }),
  }
}
