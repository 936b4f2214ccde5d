import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Customer } from '../harness/customer.ts'
import { Download } from '../harness/download.ts'
import { Origin } from '../harness/origin.ts'
import { nodeOn, SingBox } from '../harness/sing-box.ts'
import type { Station } from '../harness/station.ts'
import { expect, test } from '../harness/test.ts'

/*
 * What is counted is what goes through the node's outbound: the bytes between the user's program and the web server, both
 * ways, TCP payload with HTTP headers. Handshakes, padding and framing of the proxy protocols, whichever it is, lie outside.
 * So the overhead that may stand between "sent by the web server" and "counted" is none, for every protocol:
 *
 *   received by the client <= counted down <= sent by the web server
 *   received by the web server <= counted up <= sent by the client
 *
 * Nothing disturbed, all three are equal. A killed agent takes with it what it had in its hands: bytes that the web server
 * had sent and nobody received. Those may be counted, once.
 */

const kills = process.env.AIRSTRIP_FULL ? 100 : 10 // of the server, and as many of the agents
const rate = 2_000_000 // bytes a second for each client, far below what a node can do, so that little is ever under way

type Client = {
  name: string
  customer: Customer
  origin: Origin
  proxy: SingBox
  connect: () => Promise<SingBox>
  sent: number
  received: number
  broken: number
}

test('kill -9 of server and agents loses nothing and counts nothing twice', async ({ station }) => {
  test.setTimeout(120_000 + kills * 10_000)
  const shopID = await station.addPlan('--name', 'Accounting', '--quota-gb', '100', '--price', '1=1.00')
  const clients = await Promise.all(station.agents.map((_, index) => newClient(station, shopID, index)))

  const killed = Promise.all([killRepeatedly([station.server]), killRepeatedly(station.agents)])
  await Promise.all(clients.map((client) => downloadUntil(killed, client)))
  for (const { proxy } of clients) await proxy.stop()

  for (const { name, customer, received } of clients) {
    // An agent that found no server waits longer each time before it tries again.
    await expect.poll(async () => (await customer.usage()).download, { message: name, timeout: 90_000 }).toBeGreaterThanOrEqual(received)
  }
  await Promise.all(station.agents.map((agent) => agent.stop())) // which makes them report the rest
  for (const { name, customer, origin, sent, received, broken } of clients) {
    const { upload, download } = await customer.usage()
    console.log(`${name}: received ${received} <= counted ${download} <= sent ${origin.sent}; ${broken} times cut off`)
    expect.soft(download, name).toBeGreaterThanOrEqual(received)
    expect.soft(download, name).toBeLessThanOrEqual(origin.sent)
    expect.soft(upload, name).toBeGreaterThanOrEqual(origin.received)
    expect.soft(upload, name).toBeLessThanOrEqual(sent)
    expect.soft(received, `${name}: enough was moved to tell`).toBeGreaterThan(rate * kills / 4)
    expect.soft(origin.sent - received, `${name}: the bounds are close enough to tell`).toBeLessThan(received / 2)
    await origin.stop()
  }

  const before = await Promise.all(clients.map(({ customer }) => customer.usage()))
  await Promise.all(station.agents.map((agent) => agent.start()))
  await wait(3000) // three reporting intervals, in which nothing may be reported again
  expect(await Promise.all(clients.map(({ customer }) => customer.usage()))).toEqual(before)
})

async function newClient(station: Station, shopID: number, index: number): Promise<Client> {
  const customer = await Customer.signUp(station.server.url)
  await customer.recharge('1.00')
  await customer.buy(shopID)
  const origin = await Origin.start()
  const profile = await customer.profile()
  const name = nodeOn(profile, station.agents[index]!.node.port)
  const connect = () => SingBox.start(profile, name, station.folder)
  return { name, customer, origin, proxy: await connect(), connect, sent: 0, received: 0, broken: 0 }
}

async function downloadUntil(end: Promise<unknown>, client: Client): Promise<void> {
  let over = false
  const ended = end.finally(() => (over = true))
  while (!over) {
    const download = new Download(client.proxy.port, client.origin.port, `/slow/${rate * 3}/${rate}`, 1)
    const complete = await download.answer()
    client.sent += download.sent
    client.received += download.received
    if (complete) continue
    client.broken++
    // QUIC would not notice for 30 s that its peer died without a word; a person would reconnect.
    await client.proxy.stop()
    client.proxy = await client.connect()
  }
  await ended
}

/** Kills one after the other and starts it again, after random times. */
async function killRepeatedly(victims: { kill(): Promise<void>; start(): Promise<void> }[]): Promise<void> {
  for (let turn = 0; turn < kills; turn++) {
    await wait(randomInt(100, 800))
    const victim = victims[turn % victims.length]
    await victim?.kill()
    await wait(randomInt(0, 500))
    await victim?.start()
  }
}
