import type { NodeInfo } from '@/api/gen/types.gen'
import type { Tone } from '@/shared/ui/status-dot'

export type Filter = {
  q?: string
  country?: string
  protocol?: string
  online?: boolean
  stars?: boolean
}

const tones: Record<string, Tone> = { online: 'success', late: 'warning', offline: 'neutral' }

export const toneOf = (status: string): Tone => tones[status] ?? 'neutral'

/** The nodes that a filter lets through, favourites first, else in the server's order. */
export function filterNodes(
  nodes: readonly NodeInfo[],
  filter: Filter,
  stars: ReadonlySet<number>,
): NodeInfo[] {
  const words = (filter.q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const kept = nodes.filter((node) => {
    const text = `${node.node_name} ${node.location} ${node.country_code}`.toLowerCase()
    return (
      words.every((word) => text.includes(word)) &&
      (!filter.country || node.country_code === filter.country) &&
      (!filter.protocol || node.protocol_support[0] === filter.protocol) &&
      (!filter.online || node.status === 'online') &&
      (!filter.stars || stars.has(node.node_id))
    )
  })
  return kept.toSorted((a, b) => Number(stars.has(b.node_id)) - Number(stars.has(a.node_id)))
}

/** What there is to choose from in the filters, without repetition. The first word of a node's support is its protocol. */
export function choicesOf(nodes: readonly NodeInfo[]): {
  countries: string[]
  protocols: string[]
} {
  return {
    countries: [...new Set(nodes.map((node) => node.country_code))].toSorted(),
    protocols: [...new Set(nodes.map((node) => node.protocol_support[0] ?? ''))].toSorted(),
  }
}

/** How a node is spoken to, without what goes without saying. */
export const wordsOf = (node: NodeInfo) => node.protocol_support.filter((word) => word !== 'tcp')

const names: Record<string, string> = {
  shadowsocks: 'Shadowsocks',
  vmess: 'VMess',
  vless: 'VLESS',
  trojan: 'Trojan',
  hysteria2: 'Hysteria2',
  tcp: 'TCP',
  ws: 'WebSocket',
  grpc: 'gRPC',
  httpupgrade: 'HTTPUpgrade',
  tls: 'TLS',
  reality: 'REALITY',
}

/** A protocol, transport or disguise as its makers write it. */
export const protocolName = (protocol: string) => names[protocol] ?? protocol

/** A country's name in the user's language; the code where it has none. */
export function countryName(code: string, language: string): string {
  if (!/^[A-Z]{2}$/.test(code) || code === 'ZZ') return ''
  return new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code
}
