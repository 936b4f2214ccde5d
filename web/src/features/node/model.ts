import type { NodeInfo } from '@/lib/api/gen/types.gen'
import { nodeState, nodeStates } from '@/ui/node-state'

export type Filter = {
  q?: string
  country?: string
  protocol?: string
  online?: boolean
  favourites?: boolean
  sort?: string
}

/** How many choices besides the searched words make the list differ from the whole one in the server's order. */
export const countFilters = ({ country, protocol, online, favourites, sort }: Filter) =>
  [country, protocol, online, favourites, sort].filter(Boolean).length

const orders: Record<string, (a: NodeInfo, b: NodeInfo) => number> = {
  name: (a, b) => a.node_name.localeCompare(b.node_name, undefined, { numeric: true }),
  state: (a, b) => nodeStates.indexOf(nodeState(a)) - nodeStates.indexOf(nodeState(b)),
  load: (a, b) => a.load - b.load,
  rate: (a, b) => Number(a.rate) - Number(b.rate),
}

/** What the list can be sorted by; without any of them it is in the server's order. */
export const sorts = ['name', 'state', 'load', 'rate'] as const

/** The nodes that a filter lets through, those named to be first, else in the order that is asked for. */
export function filterNodes(
  nodes: readonly NodeInfo[],
  filter: Filter,
  favourites: ReadonlySet<number>,
  language: string,
  first = favourites,
): NodeInfo[] {
  const words = (filter.q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const kept = nodes.filter((node) => {
    const region = `${node.country_code} ${countryName(node.country_code, language)}`
    const text = `${node.node_name} ${region} ${node.tags.join(' ')}`.toLowerCase()
    return (
      words.every((word) => text.includes(word)) &&
      (!filter.country || node.country_code === filter.country) &&
      (!filter.protocol || node.protocol_support[0] === filter.protocol) &&
      (!filter.online || node.status === 'online') &&
      (!filter.favourites || favourites.has(node.node_id))
    )
  })
  const order = orders[filter.sort ?? '']
  return kept.toSorted(
    (a, b) =>
      Number(first.has(b.node_id)) - Number(first.has(a.node_id)) || (order ? order(a, b) : 0),
  )
}

export type Group = { code: string; nodes: NodeInfo[] }

/** The code of the group that favourites stand in, whatever their region. */
export const FAVOURITES = 'favourites'

/**
 * Nodes by region, in the order in which the regions first come; before them those of `first`. In a group those that the
 * user may use come first.
 */
export function groupNodes(
  nodes: readonly NodeInfo[],
  first: ReadonlySet<number>,
  locked: ReadonlySet<number>,
): Group[] {
  const groups = new Map<string, NodeInfo[]>()
  for (const node of nodes) {
    const code = first.has(node.node_id) ? FAVOURITES : node.country_code
    const group = groups.get(code)
    if (group) group.push(node)
    else groups.set(code, [node])
  }
  return [...groups]
    .map(([code, members]) => ({ code, nodes: usableFirst(members, locked) }))
    .toSorted((a, b) => Number(b.code === FAVOURITES) - Number(a.code === FAVOURITES))
}

/** The same nodes, those that the user may not use behind the others. */
export const usableFirst = (nodes: readonly NodeInfo[], locked: ReadonlySet<number>) =>
  nodes.toSorted((a, b) => Number(locked.has(a.node_id)) - Number(locked.has(b.node_id)))

/**
 * What there is to choose from in the filters, without repetition: countries by their names, those without one last. The
 * first word of a node's support is its protocol.
 */
export function choicesOf(
  nodes: readonly NodeInfo[],
  language: string,
): { countries: { code: string; name: string }[]; protocols: string[] } {
  const codes = new Set(nodes.map((node) => node.country_code))
  return {
    countries: [...codes]
      .map((code) => ({ code, name: countryName(code, language) }))
      .toSorted(
        (a, b) => Number(!a.name) - Number(!b.name) || a.name.localeCompare(b.name, language),
      ),
    protocols: [...new Set(nodes.map((node) => node.protocol_support[0] ?? ''))].toSorted(),
  }
}

/** How a node is spoken to, without what goes without saying. */
export const wordsOf = (node: NodeInfo) => node.protocol_support.filter((word) => word !== 'tcp')

type Span = { from: number; to: number; rate: string }

/** The hours of a day that have the same rate, together; none where the rate is always the same. */
export function spansOf(rates: readonly string[]): Span[] {
  const spans: Span[] = []
  rates.forEach((rate, hour) => {
    const last = spans.at(-1)
    if (last?.rate === rate) last.to = hour + 1
    else spans.push({ from: hour, to: hour + 1, rate })
  })
  return spans.length > 1 ? spans : []
}

/** "×1.5": what a byte counts for. */
export const rateText = (rate: string, language: string) =>
  `×${new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(Number(rate))}`

const names: Record<string, string> = {
  shadowsocks: 'Shadowsocks',
  vmess: 'VMess',
  vless: 'VLESS',
  trojan: 'Trojan',
  hysteria2: 'Hysteria2',
  tuic: 'TUIC',
  anytls: 'AnyTLS',
  tcp: 'TCP',
  ws: 'WebSocket',
  grpc: 'gRPC',
  httpupgrade: 'HTTPUpgrade',
  xhttp: 'XHTTP',
  tls: 'TLS',
  reality: 'REALITY',
}

/** A protocol, transport or disguise as its makers write it. */
export const protocolName = (protocol: string) => names[protocol] ?? protocol

const regions = new Map<string, Intl.DisplayNames>() // by language; making one takes longer than a row

/** A country's name in the user's language; the code where it has none. */
export function countryName(code: string, language: string): string {
  if (!/^[A-Z]{2}$/.test(code) || code === 'ZZ') return ''
  const inLanguage = regions.get(language) ?? new Intl.DisplayNames(language, { type: 'region' })
  regions.set(language, inLanguage)
  return inLanguage.of(code) ?? code
}
