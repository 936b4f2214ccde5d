import type { NewNodeBody } from '@/lib/api/gen/staff/types.gen'
import type { FormValues } from '../parts/resource-form'

export type Protocol = NewNodeBody['protocol']

/** The protocols by the names that their makers write. */
export const protocols: Record<Protocol, string> = {
  vless: 'VLESS',
  vmess: 'VMess',
  trojan: 'Trojan',
  hysteria2: 'Hysteria 2',
  tuic: 'TUIC',
  shadowsocks: 'Shadowsocks',
  anytls: 'AnyTLS',
}

/** The protocol of a node, which is always one that is known here. */
export const protocolOf = (node: { protocol: string }) => node.protocol as Protocol

export const isProtocol = (name: unknown): name is Protocol =>
  typeof name === 'string' && Object.hasOwn(protocols, name)

const transports = ['tcp', 'ws', 'grpc', 'httpupgrade', 'xhttp']

/** Over what each protocol runs; the others have one way of their own. */
export const transportsOf = (protocol: Protocol): readonly string[] =>
  ['vless', 'vmess', 'trojan'].includes(protocol) ? transports : []

/** How each protocol may be encrypted. */
export const securitiesOf = (protocol: Protocol): readonly string[] =>
  ({
    vless: ['reality', 'tls', 'none'],
    vmess: ['tls', 'reality', 'none'],
    trojan: ['tls', 'reality'],
    hysteria2: ['tls'],
    tuic: ['tls'],
    anytls: ['tls'],
    shadowsocks: [],
  })[protocol]

export const methods = [
  '2022-blake3-aes-128-gcm',
  '2022-blake3-aes-256-gcm',
  'aes-128-gcm',
  'aes-256-gcm',
  'chacha20-ietf-poly1305',
]

/** What a new node of each protocol begins with, besides what all begin with: it works once it has a name and an address. */
export const beginnings: Record<Protocol, FormValues> = {
  vless: {
    security: 'reality',
    flow: true,
    reality_dest: 'www.microsoft.com:443',
  },
  vmess: { transport: 'ws', path: '/ws', security: 'tls' },
  trojan: { security: 'tls' },
  hysteria2: { security: 'tls' },
  tuic: { security: 'tls', congestion: 'bbr' },
  anytls: { security: 'tls' },
  shadowsocks: { port: '8388', method: '2022-blake3-aes-128-gcm', security: '' },
}
