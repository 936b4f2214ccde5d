import type { StaffNode } from '@/lib/api/gen/staff/types.gen'
import { type Protocol, protocolOf } from './protocols'

type Setup = { name: string; file: string; text: string }

const json = (value: unknown) => JSON.stringify(value, null, 2)

/** What XrayR calls the protocols that it has; the others it has not. */
const xrayR: Partial<Record<Protocol, string>> = {
  vmess: 'V2ray',
  vless: 'V2ray',
  trojan: 'Trojan',
  shadowsocks: 'Shadowsocks',
}

/**
 * How agents of other panels are set up for a node: the files of docs/nodes.md with the node's number. SECRET stands for its
 * secret, which nobody is shown again.
 */
export function thirdParty(node: StaffNode, site: string): Setup[] {
  const hasTLS = node.settings.security === 'tls'
  const name = `${node.protocol}${node.id}`
  const cert = (folder: string) => ({
    CertMode: 'file',
    CertFile: `/etc/${folder}/${name}.cer`,
    KeyFile: `/etc/${folder}/${name}.key`,
  })
  const all: Setup[] = [
    {
      name: 'v2node',
      file: '/etc/v2node/config.json',
      text: json({
        Log: { Level: 'info', Output: '', Access: 'none' },
        Nodes: [{ ApiHost: site, NodeID: node.id, ApiKey: 'SECRET', Timeout: 15 }],
      }),
    },
    {
      name: 'V2bX',
      file: '/etc/V2bX/config.json',
      text: json({
        Log: { Level: 'info', Output: '' },
        Cores: [{ Type: 'xray', Log: { Level: 'warning' } }],
        Nodes: [
          {
            Core: 'xray',
            ApiHost: site,
            ApiKey: 'SECRET',
            NodeID: node.id,
            NodeType: node.protocol,
            Timeout: 30,
            ListenIP: '0.0.0.0',
            SendIP: '0.0.0.0',
            ...(hasTLS && { CertConfig: cert('V2bX') }),
          },
        ],
      }),
    },
    {
      name: 'ppanel-node',
      file: '/etc/PPanel-node/config.yml',
      text: `Log: {Level: info, Output: "", Access: none}\nApi: {ApiHost: ${site}, ServerID: ${node.id}, SecretKey: SECRET, Timeout: 30}\n`,
    },
  ]
  const type = xrayR[protocolOf(node)]
  if (type)
    all.push({ name: 'XrayR', file: '/etc/XrayR/config.yml', text: ofXrayR(node, site, type) })
  return all
}

function ofXrayR(node: StaffNode, site: string, type: string): string {
  const { settings, protocol, id, address } = node
  const isReality = settings.security === 'reality'
  const lines = [
    'Log: {Level: warning}',
    'Nodes:',
    '  - PanelType: SSpanel',
    `    ApiConfig: {ApiHost: ${site}, ApiKey: SECRET, NodeID: ${id}, NodeType: ${type}, Timeout: 30, EnableVless: ${protocol === 'vless'}, DisableCustomConfig: false}`,
    '    ControllerConfig:',
    '      ListenIP: 0.0.0.0',
    '      SendIP: 0.0.0.0',
    '      UpdatePeriodic: 60',
    `      EnableREALITY: ${isReality}`,
    '      DisableLocalREALITYConfig: true',
    '      REALITYConfigs: {Show: false}',
  ]
  if (settings.security === 'tls') {
    const name = settings.tls?.server_name || address
    lines.push(
      `      CertConfig: {CertMode: file, CertDomain: ${name}, CertFile: /etc/XrayR/${protocol}${id}.cer, KeyFile: /etc/XrayR/${protocol}${id}.key}`,
    )
  }
  return `${lines.join('\n')}\n`
}
