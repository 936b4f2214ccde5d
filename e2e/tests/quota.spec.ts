import { Customer } from '../harness/customer.ts'
import { Download } from '../harness/download.ts'
import { nodeOn, SingBox } from '../harness/sing-box.ts'
import type { Station } from '../harness/station.ts'
import { expect, test } from '../harness/test.ts'

/*
 * Where the reports come once a minute, as they do on a real site, a quota must not wait for them.
 */

const MB = 2 ** 20
const rate = 4 * MB // a second

test.beforeAll(async ({ station }) => {
  await station.server.command('setting', 'set', 'node_report_seconds=60')
})
test.afterAll(async ({ station }) => {
  await station.server.command('setting', 'set', 'node_report_seconds=1')
})

for (const nodes of [[0], [1, 2]]) {
  test(`used on ${nodes.length} at a time it ends`, async ({ station }) => {
    const { customer, proxies } = await newCustomer(station, nodes)
    const { total } = await customer.usage()
    const before = station.origin.sent
    const downloads = proxies.map((proxy) => new Download(proxy.port, station.origin.port, `/slow/${100 * MB}/${rate}`))
    await expect.poll(() => station.origin.sent - before, { intervals: [10] }).toBeGreaterThanOrEqual(total)
    for (const download of downloads) expect(await download.answer(), 'cut off').toBeUndefined()

    const received = downloads.reduce((sum, download) => sum + download.received, 0)
    await expect.poll(() => counted(customer)).toBeGreaterThanOrEqual(received)
    // One node knows the end to the packet; several give out what they have leased.
    const overrun = nodes.length === 1 ? 64 * 1024 : total / 20
    expect(await counted(customer)).toBeLessThanOrEqual(total + overrun)
    for (const proxy of proxies) await proxy.stop()
  })
}

async function counted(customer: Customer): Promise<number> {
  const { upload, download } = await customer.usage()
  return upload + download
}

async function newCustomer(station: Station, nodes: number[]): Promise<{ customer: Customer; proxies: SingBox[] }> {
  const customer = await Customer.signUp(station.server.url)
  await customer.recharge('1.00')
  await customer.buy(await station.addPlan('--name', 'Quota', '--quota-gb', '0.02', '--price', '1=1.00'))
  const profile = await customer.profile()
  const proxies = nodes.map((index) => SingBox.start(profile, nodeOn(profile, station.agents[index]!.node.port), station.folder))
  return { customer, proxies: await Promise.all(proxies) }
}
