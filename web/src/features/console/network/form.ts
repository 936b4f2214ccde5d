import { useTranslation } from 'react-i18next'
import type { Field } from '../parts/field'
import type { FormSection, FormValues } from '../parts/resource-form'
import { methods, type Protocol, securitiesOf, transportsOf } from './protocols'

const choices = (values: readonly string[]) => values.map((value) => ({ value, label: value }))
const digits = { pattern: /^\d+$/ }
const pathRules = { maxLength: 256, pattern: /^\// }

/** The fields of a node's form, in the order in which they are filled in. */
export function useNodeSections(protocol: Protocol, isNew: boolean): FormSection[] {
  return [useBasics(), useConnection(protocol, isNew), useUse(), useEntries(), useAgent()]
}

function useField() {
  const { t } = useTranslation('console/node')
  return (
    name: Parameters<typeof labelKey>[0],
    kind: Field['kind'],
    rest: Partial<Field> & { hasHint?: boolean } = {},
  ): Field => {
    const { hasHint, ...others } = rest
    return {
      name,
      label: t(labelKey(name)),
      kind,
      ...(hasHint && { hint: t(`hint.${name}` as 'hint.rate') }),
      ...others,
    }
  }
}

type Name = keyof (typeof import('@/locales/zh-CN/console/node.json'))['field']
const labelKey = (name: Name) => `field.${name}` as const

function useBasics(): FormSection {
  const { t } = useTranslation('console/node')
  const field = useField()
  const fields = [
    field('name', 'text', { isRequired: true, rules: { maxLength: 64 } }),
    field('name_zh', 'text', { rules: { maxLength: 64 } }),
    field('name_en', 'text', { rules: { maxLength: 64 } }),
    field('address', 'text', { isRequired: true, hasHint: true }),
    field('port', 'number', { isRequired: true, rules: digits }),
    field('country', 'text', { hasHint: true, rules: { pattern: /^[A-Za-z]{2}$/ } }),
    field('enabled', 'switch'),
    field('visible', 'switch', { hasHint: true }),
  ]
  return { title: t('section.basics'), fields: () => fields }
}

function useConnection(protocol: Protocol, isNew: boolean): FormSection {
  const { t } = useTranslation('console/node')
  const field = useField()
  const transports = transportsOf(protocol)
  const securities = securitiesOf(protocol)
  const own: Partial<Record<Protocol, Field[]>> = {
    shadowsocks: [
      field('method', 'choice', { options: choices(methods) }),
      field('server_key', 'secret', { hasHint: true }),
    ],
    hysteria2: [
      field('obfs', 'switch', { hasHint: true }),
      field('up_mbps', 'number', { hasHint: true, rules: digits }),
      field('down_mbps', 'number', { rules: digits }),
    ],
    tuic: [
      field('congestion', 'choice', { options: choices(['bbr', 'cubic', 'new_reno']) }),
      field('zero_rtt', 'switch', { hasHint: true }),
    ],
    anytls: [field('padding_scheme', 'lines', { hasHint: true })],
  }
  const transport = useTransport()
  const security = useSecurity()
  return {
    title: t('section.connection'),
    about: t('section.connectionAbout'),
    fields: (values) => [
      ...(transports.length > 0
        ? [field('transport', 'choice', { options: choices(transports) })]
        : []),
      ...transport(values),
      ...(securities.length > 1
        ? [field('security', 'choice', { options: choices(securities) })]
        : []),
      ...(protocol === 'vless' && values.transport === 'tcp' && values.security !== 'none'
        ? [field('flow', 'switch', { hasHint: true })]
        : []),
      ...security(values),
      ...(own[protocol] ?? []),
      ...(isNew ? [] : [field('new_keys', 'switch', { hasHint: true })]),
    ],
  }
}

function useTransport() {
  const field = useField()
  return ({ transport }: FormValues): Field[] => {
    if (transport === 'grpc') return [field('service_name', 'text', { isRequired: true })]
    if (!['ws', 'httpupgrade', 'xhttp'].includes(String(transport))) return []
    return [
      field('path', 'text', { isRequired: true, rules: pathRules }),
      field('host', 'text', { hasHint: true }),
      ...(transport === 'xhttp'
        ? [
            field('xhttp_mode', 'choice', {
              options: choices(['', 'auto', 'packet-up', 'stream-up', 'stream-one']),
            }),
          ]
        : []),
    ]
  }
}

function useSecurity() {
  const { t } = useTranslation('console/node')
  const field = useField()
  const certificates = (['self', 'acme', 'files'] as const).map((value) => ({
    value,
    label: t(`certificate.${value}`),
  }))
  return (values: FormValues): Field[] => {
    if (values.security === 'reality')
      return [
        field('reality_dest', 'text', { isRequired: true, hasHint: true }),
        field('reality_names', 'text', { hasHint: true }),
        field('private_key', 'secret', { hasHint: true }),
        field('short_ids', 'text', { hasHint: true }),
      ]
    if (values.security !== 'tls') return []
    return [
      field('server_name', 'text', { hasHint: true }),
      field('alpn', 'text', { hasHint: true }),
      field('certificate', 'choice', { options: certificates, hasHint: true }),
      ...(values.certificate === 'files'
        ? [
            field('certificate_file', 'text', { isRequired: true }),
            field('key_file', 'text', { isRequired: true }),
          ]
        : []),
      ...(values.certificate === 'acme'
        ? [
            field('acme_challenge', 'choice', {
              options: choices(['http-01', 'tls-alpn-01', 'dns-01']),
            }),
            field('acme_email', 'text'),
            field('acme_directory', 'text', { hasHint: true }),
          ]
        : []),
    ]
  }
}

function useUse(): FormSection {
  const { t } = useTranslation('console/node')
  const field = useField()
  const fields = [
    field('rate', 'text', {
      isRequired: true,
      hasHint: true,
      rules: { pattern: /^\d{1,3}(\.\d{1,3})?$/ },
    }),
    field('hour_rates', 'text', { hasHint: true }),
    field('quota_gib', 'number', { hasHint: true, rules: { pattern: /^\d+(\.\d+)?$/ } }),
    field('reset_day', 'number', { rules: digits }),
    field('class', 'number', { hasHint: true, rules: digits }),
    field('group_id', 'number', { hasHint: true, rules: digits }),
    field('speed_mbps', 'number', { hasHint: true, rules: digits }),
    field('link_mbps', 'number', { hasHint: true, rules: digits }),
    field('sort', 'number', { rules: { pattern: /^-?\d+$/ } }),
    field('tags', 'lines', { hasHint: true }),
    field('remark', 'textarea', { hasHint: true, rules: { maxLength: 2000 } }),
  ]
  return { title: t('section.use'), fields: () => fields }
}

function useEntries(): FormSection {
  const { t } = useTranslation('console/node')
  const field = useField()
  const fields = [
    field('relays', 'lines', { hasHint: true, rules: { pattern: /^(\s*[^=\n]+=[^=\n]+\n?)*$/ } }),
    field('group_hosts', 'lines', {
      hasHint: true,
      rules: { pattern: /^(\s*\d+\s*=[^=\n]+\n?)*$/ },
    }),
  ]
  return { title: t('section.entries'), fields: () => fields }
}

function useAgent(): FormSection {
  const { t } = useTranslation('console/node')
  const field = useField()
  const fields = [
    field('listen', 'text', { isRequired: true }),
    field('listen_port', 'number', { hasHint: true, rules: digits }),
  ]
  return { title: t('section.agent'), fields: () => fields }
}
