import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'

/** One HTTP request through a proxy. It counts the bytes that the user's program sends and receives. */
export class Download {
  /** Bytes of the request and of the answer so far, including headers. */
  sent = 0
  received = 0
  /** Resolves when the connection has ended for any reason; over is then true. */
  readonly ended: Promise<void>
  over = false
  readonly #socket: Socket
  readonly #hash = createHash('sha256')
  #head = ''
  #body = 0
  #established = false

  /** Requests http://host:port/path through the HTTP proxy on 127.0.0.1:proxy. It gives up after seconds without data. */
  constructor(proxy: number, port: number, path: string, seconds = 30, host = 'localhost') {
    this.#socket = connect(proxy, '127.0.0.1')
    this.#socket.setTimeout(seconds * 1000, () => this.#socket.destroy())
    const request = `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\n\r\n`
    let reply = ''
    this.#socket.on('data', (data: Buffer) => {
      if (this.#established) return this.#take(data)
      reply += data.toString('latin1')
      const end = reply.indexOf('\r\n\r\n')
      if (end < 0) return
      this.#established = true
      this.sent += request.length
      this.#socket.write(request)
      if (reply.length > end + 4) this.#take(Buffer.from(reply.slice(end + 4), 'latin1'))
    })
    this.#socket.on('error', () => {}) // A cut connection is a result, not an error.
    this.ended = new Promise((resolve) => this.#socket.once('close', () => {
      this.over = true
      resolve()
    }))
    this.#socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`)
  }

  /** Returns status and body of the complete answer, undefined if it was cut off. */
  async answer(): Promise<{ status: number; length: number; sha256: string } | undefined> {
    await this.ended
    const status = /^HTTP\/1\.1 (\d+)/.exec(this.#head)?.[1]
    const length = this.#length()
    if (!status || (length !== undefined && length !== this.#body)) return undefined
    return { status: Number(status), length: this.#body, sha256: this.#hash.digest('hex') }
  }

  stop(): void {
    this.#socket.destroy()
  }

  #take(data: Buffer): void {
    this.received += data.length
    if (!this.#head.endsWith('\r\n\r\n')) {
      const all = this.#head + data.toString('latin1')
      const end = all.indexOf('\r\n\r\n')
      const took = end < 0 ? data.length : end + 4 - this.#head.length
      this.#head = all.slice(0, this.#head.length + took)
      data = data.subarray(took)
    }
    this.#body += data.length
    this.#hash.update(data)
    if (this.#body === this.#length()) this.#socket.end() // As browsers do; Xray's Shadowsocks 2022 client waits for it.
  }

  #length(): number | undefined {
    const length = /content-length: (\d+)/i.exec(this.#head)?.[1]
    return length === undefined ? undefined : Number(length)
  }
}
