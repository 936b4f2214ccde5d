import type {
  NewNodeBody,
  NodeEndpoint,
  NodeRelay,
  NodeSettings,
  StaffNode,
} from '@/lib/api/gen/staff/types.gen'
import type { FormValues } from '../parts/resource-form'
import { beginnings, type Protocol, protocolOf, transportsOf } from './protocols'

const GIB = 2 ** 30
const VISION = 'xtls-rprx-vision'

type Value = FormValues[string] | undefined
const text = (value: Value) => String(value ?? '').trim()
const number = (value: Value) => Number(text(value) || 0)
const words = (value: Value) =>
  text(value)
    .split(/[\s,]+/)
    .filter(Boolean)
const lines = (value: Value) =>
  text(value)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** What a new node begins with. */
export const blank = (protocol: Protocol): FormValues => ({
  ...ofSettings({}, 'self'),
  name: '',
  name_zh: '',
  name_en: '',
  address: '',
  port: '443',
  country: '',
  class: '0',
  group_id: '0',
  sort: '0',
  visible: true,
  enabled: true,
  tags: '',
  remark: '',
  rate: '1',
  hour_rates: '',
  quota_gib: '',
  reset_day: '1',
  speed_mbps: '',
  link_mbps: '10000',
  listen: '0.0.0.0',
  listen_port: '',
  group_hosts: '',
  relays: '',
  new_keys: false,
  ...(transportsOf(protocol).length > 0 && { transport: 'tcp' }),
  ...beginnings[protocol],
})

const ofSettings = (s: NodeSettings, certificate: string): FormValues => ({
  transport: s.transport ?? '',
  path: s.path ?? '',
  host: s.host ?? '',
  xhttp_mode: s.xhttp_mode ?? '',
  service_name: s.service_name ?? '',
  security: s.security ?? '',
  flow: s.flow === VISION,
  server_name: s.tls?.server_name ?? '',
  alpn: s.tls?.alpn?.join(' ') ?? '',
  certificate,
  certificate_file: s.tls?.certificate_file ?? '',
  key_file: s.tls?.key_file ?? '',
  acme_challenge: s.tls?.acme?.challenge ?? 'http-01',
  acme_email: s.tls?.acme?.email ?? '',
  acme_directory: s.tls?.acme?.directory ?? '',
  reality_dest: s.reality?.dest ?? '',
  reality_names: s.reality?.server_names.join(' ') ?? '',
  short_ids: s.reality?.short_ids?.join(' ') ?? '',
  private_key: '',
  method: s.method ?? '',
  server_key: '',
  obfs: s.obfs === 'salamander',
  up_mbps: s.up_mbps ? String(s.up_mbps) : '',
  down_mbps: s.down_mbps ? String(s.down_mbps) : '',
  congestion: s.congestion ?? '',
  zero_rtt: s.zero_rtt ?? false,
  padding_scheme: s.padding_scheme?.join('\n') ?? '',
})

const port = (at: { port?: number | undefined }) => (at.port ? `:${at.port}` : '')

/** What the form of a node shows. */
export function valuesOf(node: StaffNode): FormValues {
  const { tls } = node.settings
  const certificate = tls?.acme ? 'acme' : tls?.certificate_file ? 'files' : 'self'
  return {
    ...ofSettings(node.settings, certificate),
    ...Object.fromEntries(
      (['name', 'name_zh', 'name_en', 'address', 'remark', 'rate', 'listen'] as const).map(
        (name) => [name, node[name]],
      ),
    ),
    ...Object.fromEntries(
      (['port', 'class', 'group_id', 'sort', 'reset_day', 'link_mbps'] as const).map((name) => [
        name,
        String(node[name]),
      ]),
    ),
    country: node.country === 'ZZ' ? '' : node.country,
    visible: node.visible,
    enabled: node.enabled,
    tags: node.tags.join('\n'),
    hour_rates: node.hour_rates.join(' '),
    quota_gib: node.quota_bytes === null ? '' : String(node.quota_bytes / GIB),
    speed_mbps: node.speed_mbps === null ? '' : String(node.speed_mbps),
    listen_port: node.listen_port === node.port ? '' : String(node.listen_port),
    group_hosts: Object.entries(node.group_hosts)
      .map(([group, at]) => `${group}=${at.host}${port(at)}`)
      .join('\n'),
    relays: node.relays
      .map((r) => `${r.name}=${r.host}${port(r)}${r.node_id ? `@${r.node_id}` : ''}`)
      .join('\n'),
    new_keys: false,
  }
}

/** `host` or `host:port`; the port of an address in brackets follows these. */
function endpointOf(address: string): NodeEndpoint {
  const found = /^(.*?)(?::(\d+))?$/.exec(address)
  const [, host = address, given] = found ?? []
  return { host, ...(given && { port: Number(given) }) }
}

const hostsOf = (value: Value) =>
  Object.fromEntries(
    lines(value).map((line) => {
      const [group = '', ...address] = line.split('=')
      return [group.trim(), endpointOf(address.join('=').trim())]
    }),
  )

const relayOf = (line: string): NodeRelay => {
  const [name = '', ...rest] = line.split('=')
  const [address = '', by] = rest.join('=').split('@')
  return {
    name: name.trim(),
    ...endpointOf(address.trim()),
    port: endpointOf(address.trim()).port ?? 0,
    ...(by && { node_id: Number(by) }),
  }
}

const filled = <T extends object>(given: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([, value]) =>
        value !== '' && value !== 0 && value !== false && !(Array.isArray(value) && !value.length),
    ),
  ) as Partial<T>

/** The certificate that is shown, where it is still the one for the name. */
function madeBefore(values: FormValues, node: StaffNode | undefined) {
  const tls = node?.settings.tls
  const isSame =
    tls?.certificate && tls.server_name === (text(values.server_name) || values.address)
  return isSame ? { certificate: tls.certificate, pin: tls.pin } : {}
}

function tlsOf(values: FormValues, node: StaffNode | undefined): NodeSettings['tls'] {
  return {
    ...filled({ server_name: text(values.server_name), alpn: words(values.alpn) }),
    ...(values.certificate === 'self' && filled(madeBefore(values, node))),
    ...(values.certificate === 'files' && {
      certificate_file: text(values.certificate_file),
      key_file: text(values.key_file),
    }),
    ...(values.certificate === 'acme' && {
      acme: {
        challenge: text(values.acme_challenge),
        ...filled({ email: text(values.acme_email), directory: text(values.acme_directory) }),
      },
    }),
  }
}

function realityOf(values: FormValues): NodeSettings['reality'] {
  const dest = text(values.reality_dest)
  const names = words(values.reality_names)
  return {
    dest,
    server_names: names.length > 0 ? names : [endpointOf(dest).host],
    ...filled({ short_ids: words(values.short_ids), private_key: text(values.private_key) }),
  }
}

function settingsOf(protocol: Protocol, values: FormValues, node?: StaffNode): NodeSettings {
  const transport = transportsOf(protocol).length > 0 ? text(values.transport) : ''
  const security = text(values.security)
  const isOverHTTP = ['ws', 'httpupgrade', 'xhttp'].includes(transport)
  const hasFlow =
    values.flow === true && protocol === 'vless' && transport === 'tcp' && security !== 'none'
  const own: Partial<Record<Protocol, NodeSettings>> = {
    shadowsocks: { method: text(values.method), server_key: text(values.server_key) },
    hysteria2: {
      obfs: values.obfs === true ? 'salamander' : '',
      up_mbps: number(values.up_mbps),
      down_mbps: number(values.down_mbps),
    },
    tuic: { congestion: text(values.congestion), zero_rtt: values.zero_rtt === true },
    anytls: { padding_scheme: lines(values.padding_scheme) },
  }
  return {
    ...filled({
      transport,
      security,
      flow: hasFlow ? VISION : '',
      path: isOverHTTP ? text(values.path) : '',
      host: isOverHTTP ? text(values.host) : '',
      xhttp_mode: transport === 'xhttp' ? text(values.xhttp_mode) : '',
      service_name: transport === 'grpc' ? text(values.service_name) : '',
      ...own[protocol],
    }),
    ...(security === 'tls' && { tls: tlsOf(values, node) }),
    ...(security === 'reality' && { reality: realityOf(values) }),
  }
}

type Body = Omit<NewNodeBody, 'id'>

/** All of a node as the server takes it. */
export function bodyOf(protocol: Protocol, values: FormValues, node?: StaffNode): Body {
  return {
    protocol,
    settings: settingsOf(protocol, values, node),
    name: text(values.name),
    name_zh: text(values.name_zh),
    name_en: text(values.name_en),
    address: text(values.address),
    port: number(values.port),
    country: text(values.country).toUpperCase() || 'ZZ',
    class: number(values.class),
    group_id: number(values.group_id),
    sort: number(values.sort),
    visible: values.visible === true,
    enabled: values.enabled === true,
    tags: lines(values.tags),
    remark: text(values.remark),
    rate: text(values.rate),
    hour_rates: words(values.hour_rates),
    quota_bytes: Math.round(number(values.quota_gib) * GIB),
    reset_day: number(values.reset_day),
    speed_mbps: number(values.speed_mbps),
    link_mbps: number(values.link_mbps),
    listen: text(values.listen),
    listen_port: number(values.listen_port) || number(values.port),
    group_hosts: hostsOf(values.group_hosts),
    relays: lines(values.relays).map(relayOf),
    new_keys: values.new_keys === true,
  }
}

const renamed: Record<string, string> = { quota_gib: 'quota_bytes' }

/** What of a node changed; settings go together, and a port of the agent that is the clients' follows it. */
export function changeOf(node: StaffNode, values: FormValues, changed: readonly string[]) {
  const { protocol: _, ...body } = bodyOf(protocolOf(node), values, node)
  const names = new Set(
    changed.map((name) => {
      const known = renamed[name] ?? name
      return known in body ? known : 'settings'
    }),
  )
  if (names.has('port')) names.add('listen_port')
  if (names.has('address')) names.add('settings')
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.has(name)))
}
