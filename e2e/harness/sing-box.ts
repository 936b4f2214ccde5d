import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './ports.ts'
import { Process } from './process.ts'
import { singBox } from './programs.ts'

type Outbound = { type: string; tag: string; [key: string]: unknown }

/** The parts of a sing-box configuration that the tests use. */
export type Profile = {
  inbounds: { type: string; tag: string; listen_port?: number; [key: string]: unknown }[]
  outbounds: Outbound[]
  [key: string]: unknown
}

/** Returns the name of the node that listens on port. */
export function nodeOn(profile: Profile, port: number): string {
  const node = profile.outbounds.find(({ server_port }) => server_port === port)
  if (!node) throw new Error(`the profile has no node on port ${port}: ${profile.outbounds.map(({ tag }) => tag).join(', ')}`)
  return node.tag
}

/**
 * The real client with a downloaded profile. Three things differ: it listens on a port instead of a TUN device, which would
 * take over the machine's network; a node is selected; there are no latency probes, which would leave the machine and count.
 */
export class SingBox {
  readonly port: number
  readonly #process: Process

  private constructor(port: number, process: Process) {
    this.port = port
    this.#process = process
  }

  static async start(profile: Profile, node: string, folder: string): Promise<SingBox> {
    const port = await freePort()
    const mine = structuredClone(profile)
    mine.inbounds = mine.inbounds.filter(({ type }) => type === 'mixed').map((inbound) => ({ ...inbound, listen_port: port }))
    mine.outbounds = mine.outbounds.map((outbound) => {
      if (outbound.type === 'urltest') return { type: 'selector', tag: outbound.tag, outbounds: outbound.outbounds }
      return outbound.type === 'selector' ? { ...outbound, default: node } : outbound
    })
    const file = join(folder, `sing-box-${port}.json`)
    writeFileSync(file, JSON.stringify(mine), { mode: 0o600 })
    const process = new Process(`sing-box on ${node}`, singBox, ['run', '-c', file, '-D', folder, '--disable-color'], { log: join(folder, 'sing-box.log') })
    await process.waitForLine(/sing-box started/)
    return new SingBox(port, process)
  }

  stop(): Promise<void> {
    return this.#process.stop()
  }
}
