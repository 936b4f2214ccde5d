import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Customer } from '../harness/customer.ts'
import { Download } from '../harness/download.ts'
import { Origin } from '../harness/origin.ts'
import { nodesOf, SingBox } from '../harness/sing-box.ts'
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

const seconds = 15
const rate = 2_000_000 // bytes a second for each client, far below what a node can do, so that little is ever under way
const inHands = 1_000_000 // bytes at most that may be under way in one connection

type Client = { protocol: string; customer: Customer; origin: Origin; proxy: SingBox; sent: number; received: number; broken: number }

test('kill -9 of server and agents loses nothing and counts nothing twice', async ({ station }) => {
  test.setTimeout(120_000)
  const shopID = await station.addPlan('--name', 'Accounting', '--quota-gb', '100', '--price', '1=1.00')
  const clients = await Promise.all(station.agents.map((_, index) => newClient(station, shopID, index)))

  const end = Date.now() + seconds * 1000
  await Promise.all([...clients.map((client) => downloadUntil(end, client)), killUntil(end, station)])
  for (const { proxy } of clients) await proxy.stop()

  for (const client of clients) {
    await expect.poll(async () => (await client.customer.usage()).download, client.protocol).toBeGreaterThanOrEqual(client.received)
  }
  await Promise.all(station.agents.map((agent) => agent.stop())) // which makes them report the rest
  for (const { protocol, customer, origin, sent, received, broken } of clients) {
    const { upload, download } = await customer.usage()
    const figures = `${protocol}: received ${received}, counted ${download}, sent ${origin.sent}, ${broken} cut off`
    test.info().annotations.push({ type: 'figures', description: figures })
    expect.soft(download, figures).toBeGreaterThanOrEqual(received)
    expect.soft(download, figures).toBeLessThanOrEqual(origin.sent)
    expect.soft(upload, protocol).toBeGreaterThanOrEqual(origin.received)
    expect.soft(upload, protocol).toBeLessThanOrEqual(sent)
    expect.soft(received, 'the test has moved enough to tell').toBeGreaterThan(rate * seconds / 4)
    expect.soft(origin.sent - received, 'the bounds are close enough to tell').toBeLessThan((broken + 1) * inHands)
    await origin.stop()
  }

  const before = await Promise.all(clients.map(({ customer }) => customer.usage()))
  await Promise.all(station.agents.map((agent) => agent.start()))
  await wait(3000) // three reporting intervals, in which nothing may be reported again
  expect(await Promise.all(clients.map(({ customer }) => customer.usage()))).toEqual(before)
})

async function newClient(station: Station, shopID: number, index: number): Promise<Client> {
  const customer = await Customer.signUp(station.server.url, { email: `accounting-${index}@example.com`, password: 'correct-horse-7' })
  await customer.recharge('1.00')
  await customer.buy(shopID)
  const origin = await Origin.start()
  const profile = await customer.profile()
  const node = nodesOf(profile).find(({ server_port }) => server_port === station.agents[index]?.node.port)
  if (!node) throw new Error(`node ${index} is not in the profile`)
  const proxy = await SingBox.start(profile, node.tag, station.folder)
  return { protocol: node.type, customer, origin, proxy, sent: 0, received: 0, broken: 0 }
}

async function downloadUntil(end: number, client: Client): Promise<void> {
  while (Date.now() < end) {
    const download = new Download(client.proxy.port, client.origin.port, `/slow/${rate * 3}/${rate}`)
    const complete = await download.answer()
    client.sent += download.sent
    client.received += download.received
    if (complete) continue
    client.broken++
    await wait(100) // the node is away for a moment
  }
}

async function killUntil(end: number, station: Station): Promise<void> {
  for (let round = 0; Date.now() < end; round++) {
    await wait(randomInt(200, 1000))
    const victim = round % 2 === 0 ? station.server : station.agents[randomInt(station.agents.length)]
    await victim?.kill()
    await wait(randomInt(0, 300))
    await victim?.start()
  }
}
