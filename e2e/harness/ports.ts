import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/** Programs listen on ports below the range that the kernel uses for outgoing connections. Each worker has its own. */
const width = 3000
const first = 20_000 + width * (Number(process.env.TEST_PARALLEL_INDEX ?? 0) % 4)
const last = first + width - 1

let next = first + Math.floor(Math.random() * width)

/** Returns a port that is free on 127.0.0.1 for TCP and UDP. No port is returned twice in a run. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next
    next = next < last ? next + 1 : first
    if ((await freeForTCP(port)) && (await freeForUDP(port))) return port
  }
}

function freeForTCP(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

function freeForUDP(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    socket.once('error', () => resolve(false))
    socket.bind(port, '127.0.0.1', () => socket.close(() => resolve(true)))
  })
}
