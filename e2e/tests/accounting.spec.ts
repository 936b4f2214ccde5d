import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { ApiUser } from '../harness/api-user.ts'
import { Download } from '../harness/download.ts'
import { Origin } from '../harness/origin.ts'
import { nodeOn, SingBox } from '../harness/sing-box.ts'
import type { TestService } from '../harness/test-service.ts'
import { expect, test } from '../harness/test.ts'

/*
 * Traffic is counted at the node's outbound: the bytes between the user's program and the web server in both directions, TCP
 * payload with HTTP headers. Handshakes, padding and framing of the proxy protocols are not included. So there is no overhead
 * between "sent by the web server" and "counted", for every protocol:
 *
 *   received by the client <= counted down <= sent by the web server
 *   received by the web server <= counted up <= sent by the client
 *
 * Without disturbance all three are equal. A killed agent loses what is in its buffers: bytes that the web server has sent
 * and nobody received. Those may be counted, once.
 */

const kills = process.env.AIRSTRIP_FULL ? 100 : 10 // Of the server, and as many of the agents.
const rate = 2_000_000 // Bytes per second for each client, far below the capacity of a node, so that little is in flight.

type Client = {
  name: string
  apiUser: ApiUser
  origin: Origin
  proxy: SingBox
  connect: () => Promise<SingBox>
  sent: number
  received: number
  broken: number
}

test('kill -9 of server and agents loses nothing and counts nothing twice', async ({ service }) => {
  test.setTimeout(120_000 + kills * 10_000)
  const shopID = await service.addPlan('--name', 'Accounting', '--quota-gb', '100', '--price', '1=1.00')
  const clients = await Promise.all(service.agents.map((_, index) => newClient(service, shopID, index)))

  const killed = Promise.all([killRepeatedly([service.server]), killRepeatedly(service.agents)])
  await Promise.all(clients.map((client) => downloadUntil(killed, client)))
  for (const { proxy } of clients) await proxy.stop()

  for (const { name, apiUser, received } of clients) {
    // An agent without a server waits longer after each attempt.
    await expect.poll(async () => (await apiUser.usage()).download, { message: name, timeout: 90_000 }).toBeGreaterThanOrEqual(received)
  }
  await Promise.all(service.agents.map((agent) => agent.stop())) // They report the rest.
  for (const { name, apiUser, origin, sent, received, broken } of clients) {
    const { upload, download } = await apiUser.usage()
    console.log(`${name}: received ${received} <= counted ${download} <= sent ${origin.sent}; ${broken} times cut off`)
    expect.soft(download, name).toBeGreaterThanOrEqual(received)
    expect.soft(download, name).toBeLessThanOrEqual(origin.sent)
    expect.soft(upload, name).toBeGreaterThanOrEqual(origin.received)
    expect.soft(upload, name).toBeLessThanOrEqual(sent)
    expect.soft(received, `${name}: enough was moved to tell`).toBeGreaterThan(rate * kills / 4)
    expect.soft(origin.sent - received, `${name}: the bounds are close enough to tell`).toBeLessThan(received / 2)
    await origin.stop()
  }

  const before = await Promise.all(clients.map(({ apiUser }) => apiUser.usage()))
  await Promise.all(service.agents.map((agent) => agent.start()))
  // An agent sends its reports in order: once a report of new traffic is counted, any older one is, too.
  await Promise.all(service.agents.map((_, index) => moveOnce(service, shopID, index)))
  expect(await Promise.all(clients.map(({ apiUser }) => apiUser.usage()))).toEqual(before)
})

async function newClient(service: TestService, shopID: number, index: number): Promise<Client> {
  const apiUser = await ApiUser.signUp(service.server.url)
  await apiUser.recharge('1.00')
  await apiUser.buy(shopID)
  const origin = await Origin.start()
  const profile = await apiUser.profile()
  const name = nodeOn(profile, service.agents[index]!.node.port)
  const connect = () => SingBox.start(profile, name, service.folder)
  return { name, apiUser, origin, proxy: await connect(), connect, sent: 0, received: 0, broken: 0 }
}

/** Downloads as another user through one agent and waits until that is counted. */
async function moveOnce(service: TestService, shopID: number, index: number): Promise<void> {
  const { name, apiUser, origin, proxy } = await newClient(service, shopID, index)
  const download = new Download(proxy.port, origin.port, `/slow/${rate}/${rate}`, 1)
  expect(await download.answer(), name).toBeDefined()
  await expect.poll(async () => (await apiUser.usage()).download, { message: name, timeout: 90_000 }).toBeGreaterThanOrEqual(download.received)
  await proxy.stop()
  await origin.stop()
}

/** Downloads until the end, and then until what the kills cost is little beside what arrived, however late the client reconnected. */
async function downloadUntil(end: Promise<unknown>, client: Client): Promise<void> {
  let over = false
  const ended = end.finally(() => (over = true))
  const lost = () => client.origin.sent - client.received
  while (!over || lost() >= client.received / 2) {
    const download = new Download(client.proxy.port, client.origin.port, `/slow/${rate * 3}/${rate}`, 1)
    const complete = await download.answer()
    client.sent += download.sent
    client.received += download.received
    if (complete) continue
    client.broken++
    // QUIC would notice only after 30 s that its peer was killed; a user would reconnect.
    await client.proxy.stop()
    client.proxy = await client.connect()
  }
  await ended
}

/** Kills the processes one after the other at random times and starts them again. */
async function killRepeatedly(victims: { kill(): Promise<void>; start(): Promise<void> }[]): Promise<void> {
  for (let turn = 0; turn < kills; turn++) {
    await wait(randomInt(100, 800))
    const victim = victims[turn % victims.length]
    await victim?.kill()
    await wait(randomInt(0, 500))
    await victim?.start()
  }
}
