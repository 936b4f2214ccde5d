import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Agent, type Node } from '../harness/agent.ts'
import { ApiUser } from '../harness/api-user.ts'
import { Download } from '../harness/download.ts'
import { Mihomo } from '../harness/mihomo.ts'
import { freePort } from '../harness/ports.ts'
import { RealityTarget } from '../harness/reality-target.ts'
import type { TestService } from '../harness/test-service.ts'
import { expect, test } from '../harness/test.ts'
import { configOn, Xray, type XrayConfig } from '../harness/xray.ts'

/*
 * XHTTP from the command that adds a node to the billed bytes, with real clients that read the link. Clients without XHTTP get
 * no such node.
 */

const file = 2 ** 20
const fileHash = createHash('sha256').update(Buffer.alloc(file, 'airstrip')).digest('hex')

let apiUser: ApiUser
let target: RealityTarget
let agents: Agent[]

test.beforeAll(async ({ service }) => {
  apiUser = await ApiUser.signUp(service.server.url)
  await apiUser.recharge('1.00')
  await apiUser.buy(await service.addPlan('--name', 'XHTTP', '--quota-gb', '100', '--price', '1=1.00'))
  target = await RealityTarget.start(service.folder, 'reality.test')
  const tls = ['--security', 'tls', '--server-name', 'xhttp.test']
  const reality = ['--reality-dest', `127.0.0.1:${target.port}`, '--reality-server-name', 'reality.test']
  agents = await Promise.all([
    added(service, 'XHTTP plain', 'vless', '--security', 'none'),
    added(service, 'XHTTP TLS', 'vless', ...tls, '--xhttp-mode', 'stream-up'),
    added(service, 'XHTTP REALITY', 'vless', ...reality, '--host', 'cdn.example.com'),
    added(service, 'XHTTP Trojan', 'trojan', ...tls, '--xhttp-mode', 'packet-up'),
    added(service, 'XHTTP VMess', 'vmess', ...reality, '--xhttp-mode', 'stream-one'),
  ])
})

test.afterAll(async ({ service }) => {
  for (const agent of agents) {
    await agent.stop()
    await service.server.command('node', 'remove', String(agent.node.id))
  }
  await target.stop()
})

test('Xray and mihomo connect through XHTTP nodes of the link, and each byte is billed', async ({ service }) => {
  const link = await apiUser.link()
  const configs = (await (await fetch(`${link}?client_type=XrayJson`)).json()) as XrayConfig[]
  for (const { node } of agents) {
    const config = configOn(configs, node.port)
    expect(config, node.name).toBeDefined()
    const client = await Xray.start(config!, service.folder)
    await billed(service, client.port, `Xray by ${node.name}`)
    await client.stop()
  }
  for (const { node } of agents.slice(0, 3)) {
    const client = await Mihomo.start(link, node.name, service.folder)
    await billed(service, client.port, `mihomo by ${node.name}`)
    await client.stop()
  }
})

test('the file of a client without XHTTP has no such node and says how many it leaves out', async () => {
  const link = await apiUser.link()
  const files = [['SingBox', 0], ['Surge6', 0], ['Loon', 0], ['ClashMeta', 3], ['Mixed', 4], ['XrayJson', 5]] as const
  for (const [type, expected] of files) {
    const headers = { 'User-Agent': 'v2rayN/7.23.4' } // This client checks the certificates that share links pin.
    const answer = await fetch(`${link}?client_type=${type}&is_proxy_mode=true`, { headers })
    const text = await answer.text()
    const found = agents.filter(({ node }) => text.includes(String(node.port))).length
    expect(found, type).toBe(expected)
    expect(Number(answer.headers.get('x-nodes-left-out') ?? 0), type).toBeGreaterThanOrEqual(agents.length - expected)
  }
})

/** Adds a node with XHTTP and an agent that serves it. */
async function added(service: TestService, name: string, protocol: string, ...options: string[]): Promise<Agent> {
  const port = String(await freePort())
  const made = await service.server.command(
    'node', 'add', '--protocol', protocol, '--name', name, '--address', '127.0.0.1', '--port', port, '--transport', 'xhttp', '--path', '/x', ...options,
  )
  const node: Node = { name, ...(JSON.parse(made) as Omit<Node, 'name'>) }
  const agent = new Agent(node, service.server.url, service.folder, join(service.folder, `node-${node.id}.log`))
  await agent.start()
  return agent
}

/** Downloads a file, and waits until exactly the bytes that the user's program sent and received are billed. */
async function billed(service: TestService, proxy: number, what: string): Promise<void> {
  const before = await apiUser.usage()
  const download = new Download(proxy, service.origin.port, `/bytes/${file}`)
  expect(await download.answer(), what).toEqual({ status: 200, length: file, sha256: fileHash })
  const moved = async () => {
    const { upload, download } = await apiUser.usage()
    return { upload: upload - before.upload, download: download - before.download }
  }
  await expect.poll(moved, `${what}, to the byte`).toEqual({ upload: download.sent, download: download.received })
}
