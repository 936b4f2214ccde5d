import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Agent, type Node } from './agent.ts'
import { ApiUser } from './api-user.ts'
import { newFolder } from './folder.ts'
import { Origin } from './origin.ts'
import { freePort } from './ports.ts'
import { Postgres } from './postgres.ts'
import { RealityTarget } from './reality-target.ts'
import { Server } from './server.ts'

export type Database = 'sqlite' | 'postgres'

/** The output of `airstrip seed --demo`. */
export type Demo = {
  site_url: string
  admin: { email: string; password: string }
  user: { email: string; password: string; link_token: string }
  nodes: Omit<Node, 'name'>[]
  api_key: string
}

/** One node of each kind: name, protocol and the options of `airstrip node add`. */
function kinds(realityTarget: number): [name: string, protocol: string, ...options: string[]][] {
  return [
    ['VLESS REALITY Vision', 'vless', '--flow', 'xtls-rprx-vision', '--reality-dest', `127.0.0.1:${realityTarget}`, '--reality-server-name', 'reality.test'],
    ['VMess WebSocket', 'vmess', '--transport', 'ws', '--path', '/ws'],
    ['Shadowsocks 2022', 'shadowsocks', '--method', '2022-blake3-aes-128-gcm'],
    ['Trojan TLS', 'trojan', '--server-name', 'trojan.test'],
    ['Hysteria2', 'hysteria2', '--server-name', 'hysteria.test'],
  ]
}

/** A complete service: the server with the demo's data, nodes with their agents, and a web server that users connect to. */
export class TestService {
  readonly folder: string
  readonly server: Server
  readonly demo: Demo
  readonly agents: Agent[]
  readonly origin: Origin
  readonly #others: { stop(): Promise<void> }[]

  private constructor(folder: string, server: Server, demo: Demo, agents: Agent[], origin: Origin, others: { stop(): Promise<void> }[]) {
    this.folder = folder
    this.server = server
    this.demo = demo
    this.agents = agents
    this.origin = origin
    this.#others = others
  }

  static async start(database: Database): Promise<TestService> {
    const folder = newFolder('airstrip-e2e-')
    try {
      return await TestService.#startIn(folder, database)
    } catch (error) {
      rmSync(folder, { recursive: true })
      throw error
    }
  }

  static async #startIn(folder: string, database: Database): Promise<TestService> {
    const log = (name: string) => join(folder, `${name}.log`)
    const postgres = database === 'postgres' ? await Postgres.start(folder, log('postgres')) : undefined
    const server = await Server.prepare(folder, postgres?.url, log('server'))
    const demo = JSON.parse(await server.command('seed', '--demo')) as Demo
    await server.command('setting', 'set', 'node_report_seconds=1', 'node_allow_private=true', 'link_per_minute=600', 'sign_up_per_ip_daily=1000')
    // The demo's dialog and strip would stand before what the tests look at.
    const { announcements } = JSON.parse(await server.command('announcement', 'list')) as { announcements: { ID: number; Type: string }[] }
    for (const { ID, Type } of announcements) {
      if (Type !== 'index_ann') await server.command('announcement', 'remove', String(ID))
    }
    const realityTarget = await RealityTarget.start(folder, 'reality.test')
    const nodes: Node[] = []
    for (const [name, protocol, ...options] of kinds(realityTarget.port)) {
      const port = String(await freePort())
      const added = await server.command('node', 'add', '--protocol', protocol, '--name', name, '--address', '127.0.0.1', '--port', port, ...options)
      nodes.push({ name, ...(JSON.parse(added) as Omit<Node, 'name'>) })
    }
    await server.start()
    const agents = nodes.map((node) => new Agent(node, server.url, folder, log(`node-${node.id}`)))
    await Promise.all(agents.map((agent) => agent.start()))
    const origin = await Origin.start()
    return new TestService(folder, server, demo, agents, origin, [origin, realityTarget, ...(postgres ? [postgres] : [])])
  }

  /** Adds a plan or a package with one price and returns its ID in the shop. */
  async addPlan(...options: string[]): Promise<number> {
    const plan = JSON.parse(await this.server.command('plan', 'add', ...options)) as { Prices: [{ ID: number }] }
    return plan.Prices[0].ID
  }

  /** Changes settings, each as name=value, and waits until the server has read them. */
  async set(...changes: string[]): Promise<void> {
    await this.server.command('setting', 'set', ...changes)
    const stored = JSON.parse(await this.server.command('setting', 'list')) as Record<string, unknown>
    const admin = await ApiUser.signIn(this.server.url, this.demo.admin)
    const isRead = async (): Promise<boolean> => {
      const { settings } = await admin.call<{ settings: { name: string; value: unknown }[] }>('GET', '/staff/settings')
      const read = new Map(settings.map(({ name, value }) => [name, JSON.stringify(value)]))
      return changes.every((change) => {
        const name = change.split('=')[0] ?? ''
        return read.get(name) === JSON.stringify(stored[name])
      })
    }
    const end = Date.now() + 30_000
    while (!(await isRead())) {
      if (Date.now() > end) throw new Error(`the server does not read ${changes.join(', ')}`)
      await setTimeout(100)
    }
  }

  /** Stops everything, agents first, so that they can send their last reports. */
  async stop(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.stop()))
    await this.server.stop()
    for (const other of this.#others) await other.stop()
    rmSync(this.folder, { recursive: true })
  }
}
