import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { userInfo } from 'node:os'
import { Process } from './process.ts'

/** Folder of Debian's PostgreSQL versions. */
const installed = '/usr/lib/postgresql'

/** A PostgreSQL for the tests, in a folder, on a Unix socket only. It runs as another user, because PostgreSQL refuses root. */
export class Postgres {
  readonly url: string
  readonly #process: Process

  private constructor(url: string, process: Process) {
    this.url = url
    this.#process = process
  }

  static async start(folder: string, log: string): Promise<Postgres> {
    const version = readdirSync(installed).sort().at(-1)
    if (!version) throw new Error(`no PostgreSQL in ${installed}; install the Debian package postgresql`)
    const bin = join(installed, version, 'bin')
    const home = join(folder, 'postgres')
    mkdirSync(home)
    const user = userInfo().uid === 0 ? 'postgres' : undefined
    if (user) chownSync(home, id('-u', user), id('-g', user))
    const data = join(home, 'data')
    const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
    await new Process('initdb', join(bin, 'initdb'), init, { log, user, cwd: home }).waitForLine(/^Success/)
    const serve = ['-D', data, '-k', home, '-c', 'listen_addresses=', '-c', 'fsync=off', '-c', 'shared_buffers=32MB']
    const process = new Process('postgres', join(bin, 'postgres'), serve, { log, user, cwd: home })
    await process.waitForLine(/database system is ready to accept connections/)
    return new Postgres(`postgres://postgres@/postgres?host=${home}`, process)
  }

  stop(): Promise<void> {
    return this.#process.stop()
  }
}

function id(option: string, user: string): number {
  return Number(execFileSync('id', [option, user], { encoding: 'utf8' }))
}
