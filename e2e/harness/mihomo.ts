import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Download } from './download.ts'
import { freePort } from './ports.ts'
import { Process } from './process.ts'
import { mihomo } from './programs.ts'

/** The real client. It fetches a link as for its users, and connects through one of the nodes in it. */
export class Mihomo {
  readonly port: number
  readonly #process: Process

  private constructor(port: number, process: Process) {
    this.port = port
    this.#process = process
  }

  static async start(link: string, node: string, folder: string): Promise<Mihomo> {
    const port = await freePort()
    const controllerPort = await freePort()
    const controller = `127.0.0.1:${controllerPort}`
    const own = join(folder, `mihomo-${port}`)
    mkdirSync(own)
    const provider = {
      type: 'http', path: './link.yaml', interval: 3600, url: `${link}?client_type=ClashMeta&is_proxy_mode=true`,
      header: { 'User-Agent': ['mihomo/1.19.23'] }, // This build has no version of its own.
    }
    const file = join(own, 'config.yaml')
    const config = {
      'mixed-port': port, mode: 'rule', ipv6: false, 'log-level': 'info', 'external-controller': controller, profile: { 'store-selected': false },
      'proxy-providers': { link: provider },
      'proxy-groups': [{ name: 'through', type: 'select', use: ['link'], filter: `^${node}$` }],
      rules: [`DST-PORT,${controllerPort},DIRECT`, 'MATCH,through'],
    }
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 })
    const process = new Process(`mihomo on ${node}`, mihomo, ['-d', own, '-f', file], { log: join(folder, 'mihomo.log') })
    await process.waitForLine(/Mixed\(http\+socks\) proxy listening/)
    await fetched(controller, node)
    await running(port, controllerPort)
    return new Mihomo(port, process)
  }

  stop(): Promise<void> {
    return this.#process.stop()
  }
}

/** Waits until the link has been fetched and contains the node. Before that, connections would bypass it. */
async function fetched(controller: string, node: string): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await wait(50)) {
    const answer = await fetch(`http://${controller}/proxies/through`).catch(() => undefined)
    const group = answer?.ok ? ((await answer.json()) as { all: string[] }) : undefined
    if (group?.all.includes(node)) return
  }
  throw new Error(`mihomo finds no ${node} in the link`)
}

/** Waits until connections succeed. While mihomo loads providers, it listens but drops connections. */
async function running(port: number, controllerPort: number): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await wait(50)) {
    const answer = await new Download(port, controllerPort, '/version', 5, '127.0.0.1').answer()
    if (answer?.status === 200) return
  }
  throw new Error('mihomo lets nothing through')
}
