import { spawn, type ChildProcess } from 'node:child_process'
import { createWriteStream, type WriteStream } from 'node:fs'
import { once } from 'node:events'

type Options = { log: string; env?: Record<string, string>; user?: string; cwd?: string }

/** A program under test. Its output goes to a file. The kernel kills it when the test run ends for any reason. */
export class Process {
  readonly name: string
  readonly #child: ChildProcess
  readonly #log: WriteStream
  readonly #exited: Promise<string>
  readonly #waiting = new Set<(line: string) => void>()
  readonly #lines: string[] = []
  #partial = ''
  #ended: string | undefined

  constructor(name: string, command: string, args: string[], { log, env = {}, user, cwd }: Options) {
    this.name = name
    this.#log = createWriteStream(log, { flags: 'a' })
    const as = user ? ['--reuid', user, '--regid', user, '--clear-groups'] : []
    this.#child = spawn('setpriv', [...as, '--pdeathsig', 'KILL', '--', command, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd,
    })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.#read(text))
    }
    this.#exited = once(this.#child, 'close').then(([code, signal]) => {
      this.#ended = signal ? `killed by ${signal}` : `exit code ${code}`
      this.#log.end(`-- ${name}: ${this.#ended}\n`)
      return this.#ended
    })
  }

  /** Waits for a matching line of output. Fails if the program ends first. */
  async waitForLine(pattern: RegExp, seconds = 90): Promise<string> {
    const seen = this.#lines.find((line) => pattern.test(line))
    if (seen !== undefined) return seen
    let listener: (line: string) => void = () => {}
    let timer: NodeJS.Timeout | undefined
    try {
      return await Promise.race([
        new Promise<string>((resolve) => {
          listener = (line) => pattern.test(line) && resolve(line)
          this.#waiting.add(listener)
        }),
        this.#exited.then((how) => Promise.reject(this.#failure(`ended (${how}) before it said ${pattern}`))),
        new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(this.#failure(`did not say ${pattern} within ${seconds} s`)), seconds * 1000)
        }),
      ])
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(listener)
    }
  }

  /** Sends SIGKILL. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exited
  }

  /** Sends SIGTERM. The program must end within a minute with this exit code. */
  async stop(exitCode = 0): Promise<void> {
    const running = this.#ended === undefined
    this.#child.kill('SIGTERM')
    const patience = setTimeout(() => this.#child.kill('SIGKILL'), 60_000)
    const how = await this.#exited
    clearTimeout(patience)
    if (running && how !== `exit code ${exitCode}`) throw this.#failure(`was asked to stop: ${how}`)
  }

  #read(text: string): void {
    this.#log.write(text)
    const lines = (this.#partial + text).split('\n')
    this.#partial = lines.pop() ?? ''
    for (const line of lines) {
      this.#lines.push(line)
      for (const listener of this.#waiting) listener(line)
    }
  }

  #failure(what: string): Error {
    return new Error(`${this.name} ${what}\n${this.#lines.slice(-40).join('\n')}`)
  }
}
