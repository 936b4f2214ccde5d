import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'

/** A server on 127.0.0.1 that returns each packet. */
export class PacketEcho {
  readonly #socket: Socket

  private constructor(socket: Socket) {
    this.#socket = socket
  }

  static async start(): Promise<PacketEcho> {
    const socket = createSocket('udp4')
    socket.on('message', (packet, from) => socket.send(packet, from.port, from.address))
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return new PacketEcho(socket)
  }

  get port(): number {
    return this.#socket.address().port
  }

  async stop(): Promise<void> {
    this.#socket.close()
    await once(this.#socket, 'close')
  }
}

/**
 * Sends packets one by one to 127.0.0.1:port through the SOCKS proxy on 127.0.0.1:proxy. It returns the answer to each,
 * undefined if there is none.
 */
export async function bounce(proxy: number, port: number, packets: Buffer[]): Promise<(Buffer | undefined)[]> {
  // RFC 1928: no authentication, UDP ASSOCIATE; the association lives as long as this connection.
  const control = connect(proxy, '127.0.0.1')
  const ask = async (bytes: number[]) => {
    control.write(Buffer.from(bytes))
    const [answer] = (await once(control, 'data')) as [Buffer]
    return answer
  }
  await ask([5, 1, 0])
  const relay = (await ask([5, 3, 0, 1, 0, 0, 0, 0, 0, 0])).readUInt16BE(8)
  const head = Buffer.from([0, 0, 0, 1, 127, 0, 0, 1, port >> 8, port & 255])
  const socket = createSocket('udp4')
  const back: (Buffer | undefined)[] = []
  for (const packet of packets) {
    socket.send(Buffer.concat([head, packet]), relay, '127.0.0.1')
    const answer = await once(socket, 'message', { signal: AbortSignal.timeout(30_000) }).catch(() => undefined)
    back.push((answer?.[0] as Buffer | undefined)?.subarray(head.length))
  }
  socket.close()
  control.destroy()
  return back
}
