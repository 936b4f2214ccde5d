import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'

/** The web server that users connect to. It counts every byte on its sockets, including headers. */
export class Origin {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #sent = 0
  #received = 0

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => {
        this.#sockets.delete(socket)
        this.#sent += socket.bytesWritten
        this.#received += socket.bytesRead
      })
    })
  }

  /**
   * `/page` is a small page, `/bytes/N` a body of N bytes, `/slow/N/R` the same at R bytes per second, `/fast/N` the same as
   * fast as it is read, for bodies that do not fit into memory.
   */
  static async start(): Promise<Origin> {
    const server = createServer(async (request, response) => {
      // sing-box's Shadowsocks 2022 rejects an answer that arrives before it has stored its request's salt ("bad request salt").
      await wait(100)
      const [, kind, size = '0', rate = '0'] = (request.url ?? '').split('/')
      if (kind === 'page') {
        response.setHeader('content-type', 'text/html; charset=utf-8')
        response.end('<!doctype html><title>Origin</title><h1>It works</h1>')
      } else if (kind === 'bytes') {
        response.setHeader('content-length', size)
        response.end(Buffer.alloc(Number(size), 'airstrip'))
      } else if (kind === 'fast') {
        response.setHeader('content-length', size)
        const piece = Buffer.alloc(256 * 1024, 'airstrip')
        let left = Number(size)
        const write = () => {
          while (left > 0) {
            const flowing = response.write(piece.subarray(0, left))
            left -= piece.length
            if (!flowing) break
          }
          if (left <= 0) response.end()
        }
        response.on('drain', write)
        write()
      } else if (kind === 'slow') {
        response.setHeader('content-length', size)
        const piece = Buffer.alloc(Math.ceil(Number(rate) / 20), 'airstrip')
        let left = Number(size)
        const timer = setInterval(() => {
          response.write(piece.subarray(0, left))
          left -= piece.length
          if (left <= 0) response.end()
          if (left <= 0) clearInterval(timer)
        }, 50)
        response.once('close', () => clearInterval(timer))
      } else {
        response.writeHead(404).end()
      }
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Origin(server)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** The number of open connections. */
  get open(): number {
    return this.#sockets.size
  }

  /** Bytes sent on all connections. */
  get sent(): number {
    return [...this.#sockets].reduce((sum, socket) => sum + socket.bytesWritten, this.#sent)
  }

  /** Bytes received on all connections. */
  get received(): number {
    return [...this.#sockets].reduce((sum, socket) => sum + socket.bytesRead, this.#received)
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}
