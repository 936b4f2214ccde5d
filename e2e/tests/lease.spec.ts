import { Customer } from '../harness/customer.ts'
import { Download } from '../harness/download.ts'
import { nodeOn, SingBox } from '../harness/sing-box.ts'
import { expect, test } from '../harness/test.ts'

/*
 * One user on three nodes at once, as fast as they go, where reports come once a minute: what is left of the quota is
 * leased to the nodes, so that together they give out no more than there is.
 */

const MB = 2 ** 20

test.beforeAll(async ({ station }) => {
  await station.server.command('setting', 'set', 'node_report_seconds=60')
})
test.afterAll(async ({ station }) => {
  await station.server.command('setting', 'set', 'node_report_seconds=1')
})

for (const gigabytes of ['0.1', '2']) {
  test(`${gigabytes} GB end on three nodes at full speed`, async ({ station }, info) => {
    const customer = await Customer.signUp(station.server.url)
    await customer.recharge('1.00')
    await customer.buy(await station.addPlan('--name', `Lease ${gigabytes}`, '--quota-gb', gigabytes, '--price', '1=1.00'))
    const profile = await customer.profile()
    const proxies = await Promise.all(
      [0, 1, 3].map((index) => SingBox.start(profile, nodeOn(profile, station.agents[index]!.node.port), station.folder)),
    )
    const { total } = await customer.usage()
    const before = station.origin.sent
    const began = Date.now()
    const downloads = proxies.flatMap((proxy) =>
      [1, 2].map(() => new Download(proxy.port, station.origin.port, `/fast/${2 * total}`)),
    )
    for (const download of downloads) expect(await download.answer(), 'cut off').toBeUndefined()
    const seconds = (Date.now() - began) / 1000

    const received = downloads.reduce((sum, download) => sum + download.received, 0)
    await expect.poll(() => counted(customer)).toBeGreaterThanOrEqual(Math.max(total, received))
    const overrun = (await counted(customer)) - total
    const speed = (received / seconds / MB).toFixed(0)
    const measured = `${gigabytes} GB in ${seconds.toFixed(1)} s, ${speed} MB/s: overrun ${(overrun / MB).toFixed(2)} MB`
    info.annotations.push({ type: 'measured', description: measured })
    console.log(measured)
    expect(received, 'what was paid for is given').toBeGreaterThan(0.99 * total)
    expect(station.origin.sent - before).toBeGreaterThanOrEqual(received)
    expect(overrun, measured).toBeLessThanOrEqual(Math.min(total / 20, 50_000_000))
    for (const proxy of proxies) await proxy.stop()
  })
}

async function counted(customer: Customer): Promise<number> {
  const { upload, download } = await customer.usage()
  return upload + download
}
