import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './ports.ts'
import { Process } from './process.ts'
import { xray } from './programs.ts'

type Server = { address: string; port: number }

/** The parts of one configuration in an Xray file that the tests use. */
export type XrayConfig = {
  remarks: string
  inbounds: { protocol: string; port: number; [key: string]: unknown }[]
  outbounds: { tag: string; settings: Partial<Server> & { vnext?: Server[]; servers?: Server[] }; [key: string]: unknown }[]
  routing: { domainStrategy: string; [key: string]: unknown }
  [key: string]: unknown
}

/** Returns the configuration of the node that listens on port, undefined if Xray does not support its protocol. */
export function configOn(file: XrayConfig[], port: number): XrayConfig | undefined {
  return file.find(({ outbounds: [proxy] }) => {
    const { vnext, servers, ...own } = proxy!.settings
    return (vnext?.[0] ?? servers?.[0] ?? own).port === port
  })
}

/**
 * The real client with a configuration of a downloaded file. Two things differ: it listens on another port, and resolves no
 * names, which would leave this machine.
 */
export class Xray {
  readonly port: number
  readonly #process: Process

  private constructor(port: number, process: Process) {
    this.port = port
    this.#process = process
  }

  static async start(config: XrayConfig, folder: string): Promise<Xray> {
    const port = await freePort()
    const { dns: _, ...mine } = structuredClone(config)
    mine.inbounds = mine.inbounds.filter(({ protocol }) => protocol === 'http').map((inbound) => ({ ...inbound, port }))
    mine.routing.domainStrategy = 'AsIs'
    const file = join(folder, `xray-${port}.json`)
    writeFileSync(file, JSON.stringify(mine), { mode: 0o600 })
    const process = new Process(`xray on ${config.remarks}`, xray, ['run', '-c', file], { log: join(folder, 'xray.log') })
    await process.waitForLine(/Xray .* started/)
    return new Xray(port, process)
  }

  stop(): Promise<void> {
    return this.#process.stop()
  }
}
