import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Agent, type Node } from '../harness/agent.ts'
import { ApiUser } from '../harness/api-user.ts'
import { Download } from '../harness/download.ts'
import { bounce, PacketEcho } from '../harness/packets.ts'
import { freePort } from '../harness/ports.ts'
import { Origin } from '../harness/origin.ts'
import { nodeOn, SingBox } from '../harness/sing-box.ts'
import type { TestService } from '../harness/test-service.ts'
import { expect, test } from '../harness/test.ts'
import { configOn, Xray, type XrayConfig } from '../harness/xray.ts'

/*
 * Real clients connect with the content of the link: sing-box with the protocols that the journey does not cover, and Xray
 * with all that it supports.
 */

const file = 2 ** 20
const fileHash = createHash('sha256').update(Buffer.alloc(file, 'airstrip')).digest('hex')
const foreign = ['tuic', 'anytls'] // Not supported by Xray.

let apiUser: ApiUser
let others: Agent[]

test.beforeAll(async ({ service }) => {
  apiUser = await ApiUser.signUp(service.server.url)
  await apiUser.recharge('1.00')
  await apiUser.buy(await service.addPlan('--name', 'Protocols', '--quota-gb', '100', '--price', '1=1.00'))
  others = await Promise.all(foreign.map((protocol) => added(service, protocol)))
})

test.afterAll(async ({ service }) => {
  for (const agent of others) {
    await agent.stop()
    await service.server.command('node', 'remove', String(agent.node.id))
  }
})

test('real clients connect through nodes of every protocol with the content of the link', async ({ service }) => {
  const profile = await apiUser.profile()
  for (const { node } of others) {
    const client = await SingBox.start(profile, nodeOn(profile, node.port), service.folder)
    await downloads(service, client.port, `sing-box by ${node.protocol}`)
    await client.stop()
  }

  const answer = await fetch(`${await apiUser.link()}?client_type=XrayJson`)
  const configs = (await answer.json()) as XrayConfig[]
  expect(Number(answer.headers.get('x-nodes-left-out'))).toBeGreaterThanOrEqual(others.length)
  for (const { node } of others) expect(configOn(configs, node.port), node.protocol).toBeUndefined()
  for (const { node } of service.agents) {
    const config = configOn(configs, node.port)
    expect(config, node.name).toBeDefined()
    const client = await Xray.start(config!, service.folder)
    await downloads(service, client.port, `Xray by ${node.name}`)
    await client.stop()
  }
  const clients = others.length + service.agents.length
  await expect.poll(async () => (await apiUser.usage()).download, 'all of it went through the nodes').toBeGreaterThan(clients * file)
})

test('packets of all sizes pass nodes of every protocol unchanged', async ({ service }) => {
  const echo = await PacketEcho.start()
  const whole = await apiUser.profile()
  const profile = { ...whole, route: { ...(whole.route as object), rules: [] } } // They send private destinations past the node.
  const packets = [1, 1200, 700, 1252, 1400].map((size) => randomBytes(size)) // QUIC begins with at least 1,200 bytes.
  const before = await apiUser.usage()
  const agents = [...service.agents, ...others]
  for (const { node } of agents) {
    const client = await SingBox.start(profile, nodeOn(profile, node.port), service.folder)
    expect(await bounce(client.port, echo.port, packets), node.name).toEqual(packets)
    await client.stop()
  }
  const moved = agents.length * packets.reduce((sum, { length }) => sum + length, 0)
  const counted = async () => {
    const { upload, download } = await apiUser.usage()
    return { upload: upload - before.upload, download: download - before.download }
  }
  await expect.poll(counted, 'to the byte').toEqual({ upload: moved, download: moved })
  await echo.stop()
})

test('a blocked domain is blocked on nodes of every protocol and shows in the log', async ({ service }) => {
  const site = await Origin.start()
  const bait = await Origin.start() // Shows when the rule has reached a node.
  const rule = JSON.parse(await service.server.command('rule', 'add', 'Nowhere', String.raw`(^|\.)localhost:(${site.port}|${bait.port})$`)) as { ID: number }
  const profile = await apiUser.profile()
  const agents = [...service.agents, ...others]
  const visit = (client: SingBox, host: string, { port } = site) => new Download(client.port, port, '/page', 5, host).answer()
  for (const { node } of agents) {
    const client = await SingBox.start(profile, nodeOn(profile, node.port), service.folder)
    await downloads(service, client.port, `of another site by ${node.name}`)
    await expect(async () => expect(await visit(client, 'localhost', bait)).toBeUndefined()).toPass({ intervals: [100] })
    for (const host of ['localhost', 'www.localhost']) expect(await visit(client, host), `${host} by ${node.name}`).toBeUndefined()
    await client.stop()
  }
  expect(site.received).toBe(0)
  const hits = async () => {
    const { records } = await apiUser.call<{ records: { node_id: number; count: number }[] }>('GET', `/user/services/audit/record?rule_id=${rule.ID}`)
    return agents.map(({ node }) => records.filter(({ node_id }) => node_id === node.id).reduce((sum, { count }) => sum + count, 0))
  }
  await expect.poll(hits, 'each refusal once, by node').toEqual(agents.map(() => 3))

  await service.server.command('rule', 'remove', String(rule.ID))
  for (const { node } of agents) {
    const client = await SingBox.start(profile, nodeOn(profile, node.port), service.folder)
    await expect(async () => expect(await visit(client, 'localhost'), node.name).toMatchObject({ status: 200 })).toPass({ intervals: [100] })
    await client.stop()
  }
  await site.stop()
  await bait.stop()
})

async function added(service: TestService, protocol: string): Promise<Agent> {
  const name = `Protocols ${protocol}`
  const port = String(await freePort())
  const made = await service.server.command(
    'node', 'add', '--protocol', protocol, '--name', name, '--address', '127.0.0.1', '--port', port, '--server-name', `${protocol}.test`,
  )
  const node: Node = { name, ...(JSON.parse(made) as Omit<Node, 'name'>) }
  const agent = new Agent(node, service.server.url, service.folder, join(service.folder, `node-${node.id}.log`))
  await agent.start()
  return agent
}

async function downloads(service: TestService, proxy: number, what: string): Promise<void> {
  expect(await new Download(proxy, service.origin.port, `/bytes/${file}`).answer(), what).toEqual({ status: 200, length: file, sha256: fileHash })
}
