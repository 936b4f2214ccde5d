import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Process } from './process.ts'
import { airstripNode } from './programs.ts'

export type Node = { name: string; id: number; secret: string; protocol: string; port: number }

/** The agent of one node. */
export class Agent {
  readonly node: Node
  readonly #args: string[]
  readonly #log: string
  #process: Process | undefined

  constructor(node: Node, server: string, folder: string, log: string) {
    const secret = join(folder, `node-${node.id}.secret`)
    writeFileSync(secret, node.secret, { mode: 0o600 })
    this.node = node
    this.#args = ['run', '--server', server, '--node', String(node.id), '--secret-file', secret, '--data', join(folder, `node-${node.id}`)]
    this.#log = log
  }

  /** Starts the agent, also after kill, and waits until its node serves. */
  async start(): Promise<void> {
    this.#process = new Process(`airstrip-node (${this.node.name})`, airstripNode, this.#args, { log: this.#log })
    await this.#process.waitForLine(/msg=serving/)
  }

  async kill(): Promise<void> {
    await this.#process?.kill()
  }

  /** Stops the agent, which first reports what it has counted. */
  async stop(): Promise<void> {
    await this.#process?.stop()
  }
}
