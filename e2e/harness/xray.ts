import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './ports.ts'
import { Process } from './process.ts'
import { xray } from './programs.ts'

type Server = { address: string; port: number }

/** As much of one of the configurations of an Xray file as the tests touch. */
export type XrayConfig = {
  remarks: string
  inbounds: { protocol: string; port: number; [key: string]: unknown }[]
  outbounds: { tag: string; settings: Partial<Server> & { vnext?: Server[]; servers?: Server[] }; [key: string]: unknown }[]
  routing: { domainStrategy: string; [key: string]: unknown }
  [key: string]: unknown
}

/** The configuration of the node that listens on port; undefined where Xray does not speak its protocol. */
export function configOn(file: XrayConfig[], port: number): XrayConfig | undefined {
  return file.find(({ outbounds: [proxy] }) => {
    const { vnext, servers, ...own } = proxy!.settings
    return (vnext?.[0] ?? servers?.[0] ?? own).port === port
  })
}

/**
 * The real client, running a configuration of a downloaded file. What is changed: it listens on a port of its own, and looks
 * no names up, which would reach out of this machine.
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
    await process.saying(/Xray .* started/)
    return new Xray(port, process)
  }

  stop(): Promise<void> {
    return this.#process.stop()
  }
}
