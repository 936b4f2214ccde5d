import { mkdtempSync, rmSync } from 'node:fs'
import type { Server as TLSServer } from 'node:tls'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type Node } from './agent.ts'
import { Origin } from './origin.ts'
import { freePort } from './ports.ts'
import { Postgres } from './postgres.ts'
import { startRealityTarget } from './reality-target.ts'
import { Server } from './server.ts'

export type Database = 'sqlite' | 'postgres'

/** What `airstrip seed --demo` prints. */
export type Seed = {
  site_url: string
  admin: { email: string; password: string }
  user: { email: string; password: string; link_token: string }
  nodes: Node[]
  api_key: string
}

/** A whole service with its nodes, and the web server that its users want to reach. */
export class Station {
  readonly folder: string
  readonly server: Server
  readonly seed: Seed
  readonly agents: Agent[]
  readonly origin: Origin
  readonly #postgres: Postgres | undefined
  readonly #realityTarget: TLSServer

  private constructor(folder: string, server: Server, seed: Seed, agents: Agent[], origin: Origin, postgres: Postgres | undefined, realityTarget: TLSServer) {
    this.folder = folder
    this.server = server
    this.seed = seed
    this.agents = agents
    this.origin = origin
    this.#postgres = postgres
    this.#realityTarget = realityTarget
  }

  static async start(database: Database): Promise<Station> {
    const folder = mkdtempSync(join(tmpdir(), 'airstrip-e2e-'))
    const log = (name: string) => join(folder, `${name}.log`)
    const postgres = database === 'postgres' ? await Postgres.start(folder, log('postgres')) : undefined
    const server = await Server.prepare(folder, postgres?.url, log('server'))
    const realityTarget = await startRealityTarget(folder, await freePort(), 'reality.test')
    const seed = JSON.parse(await server.command('seed', '--demo')) as Seed
    await server.command('setting', 'set', 'node_report_seconds=1', 'node_allow_private=true', 'link_per_minute=600')
    await server.start()
    const agents = seed.nodes.map((node) => new Agent(node, server.url, folder, log(`node-${node.id}`)))
    await Promise.all(agents.map((agent) => agent.start()))
    return new Station(folder, server, seed, agents, await Origin.start(), postgres, realityTarget)
  }

  /** Puts a plan or a package with one price on sale and gives what the shop calls it. */
  async addPlan(...options: string[]): Promise<number> {
    const plan = JSON.parse(await this.server.command('plan', 'add', ...options)) as { prices: [{ id: number }] }
    return plan.prices[0].id
  }

  /** Ends everything, agents first so that they can hand in their last reports. */
  async stop(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.stop()))
    await this.server.stop()
    await this.#postgres?.stop()
    await this.origin.stop()
    this.#realityTarget.close()
    rmSync(this.folder, { recursive: true })
  }
}
