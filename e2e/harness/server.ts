import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './ports.ts'
import { Process } from './process.ts'
import { airstrip } from './programs.ts'

/** The server under test with its own data, on SQLite unless it has the address of a PostgreSQL. */
export class Server {
  readonly url: string
  readonly #env: Record<string, string>
  readonly #log: string
  #process: Process | undefined

  private constructor(url: string, env: Record<string, string>, log: string) {
    this.url = url
    this.#env = env
    this.#log = log
  }

  /** A server that is no demo has no sandbox to pay with, as an operator's has none. */
  static async prepare(folder: string, databaseURL: string | undefined, log: string, isDemo = true): Promise<Server> {
    const port = await freePort()
    const url = `http://localhost:${port}`
    return new Server(url, {
      AIRSTRIP_DATA: join(folder, 'server'),
      AIRSTRIP_LISTEN: `127.0.0.1:${port}`,
      AIRSTRIP_SITE_URL: url,
      AIRSTRIP_DEMO: String(isDemo),
      AIRSTRIP_SECRET_KEY: randomBytes(32).toString('hex'),
      ...(databaseURL && { AIRSTRIP_DATABASE_URL: databaseURL }),
    }, log)
  }

  /** Starts the server, also after kill. */
  async start(): Promise<void> {
    this.#process = new Process('airstrip serve', airstrip, ['serve'], { log: this.#log, env: this.#env })
    await this.#process.waitForLine(/msg=serving/)
  }

  /** Returns the code that makes somebody the owner of a site that has none. */
  async setupCode(): Promise<string> {
    const line = await this.#process?.waitForLine(/nobody owns this site yet/)
    return /code=(\S+)/.exec(line ?? '')?.[1] ?? ''
  }

  async kill(): Promise<void> {
    await this.#process?.kill()
  }

  async stop(): Promise<void> {
    await this.#process?.stop()
  }

  /** Runs another command of the program on the same data and returns its output. */
  async command(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(airstrip, args, { env: { ...process.env, ...this.#env } })
    return stdout
  }
}
