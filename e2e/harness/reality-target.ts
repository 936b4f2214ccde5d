import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer, type Server } from 'node:tls'

/** The TLS 1.3 site whose handshake a REALITY node presents. */
export class RealityTarget {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(folder: string, name: string): Promise<RealityTarget> {
    const key = join(folder, 'reality-target.key')
    const certificate = join(folder, 'reality-target.pem')
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1',
      '-keyout', key, '-out', certificate, '-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`], { stdio: 'pipe' })
    const server = createServer({
      key: readFileSync(key), cert: readFileSync(certificate), minVersion: 'TLSv1.3', ALPNProtocols: ['h2', 'http/1.1'],
    }, (socket) => socket.on('error', () => {}).resume())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new RealityTarget(server)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    this.#server.close()
  }
}
