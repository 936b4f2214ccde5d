import { ApiUser } from '../harness/api-user.ts'
import { Download } from '../harness/download.ts'
import { nodeOn, SingBox } from '../harness/sing-box.ts'
import { expect, test } from '../harness/test.ts'

/*
 * One user on three nodes at once at full speed, with one report per minute: the remaining quota is leased to the nodes, so
 * that together they serve no more than there is.
 */

const MB = 2 ** 20

test.beforeAll(async ({ service }) => {
  await service.server.command('setting', 'set', 'node_report_seconds=60')
})
test.afterAll(async ({ service }) => {
  await service.server.command('setting', 'set', 'node_report_seconds=1')
})

for (const gigabytes of ['0.1', '2']) {
  test(`${gigabytes} GB end on three nodes at full speed`, async ({ service }, info) => {
    const apiUser = await ApiUser.signUp(service.server.url)
    await apiUser.recharge('1.00')
    await apiUser.buy(await service.addPlan('--name', `Lease ${gigabytes}`, '--quota-gb', gigabytes, '--price', '1=1.00'))
    const profile = await apiUser.profile()
    const proxies = await Promise.all(
      [0, 1, 3].map((index) => SingBox.start(profile, nodeOn(profile, service.agents[index]!.node.port), service.folder)),
    )
    const { total } = await apiUser.usage()
    const before = service.origin.sent
    const began = Date.now()
    const downloads = proxies.flatMap((proxy) =>
      [1, 2].map(() => new Download(proxy.port, service.origin.port, `/fast/${2 * total}`)),
    )
    for (const download of downloads) expect(await download.answer(), 'cut off').toBeUndefined()
    const seconds = (Date.now() - began) / 1000

    const received = downloads.reduce((sum, download) => sum + download.received, 0)
    await expect.poll(() => counted(apiUser)).toBeGreaterThanOrEqual(Math.max(total, received))
    const overrun = (await counted(apiUser)) - total
    const speed = (received / seconds / MB).toFixed(0)
    const measured = `${gigabytes} GB in ${seconds.toFixed(1)} s, ${speed} MB/s: overrun ${(overrun / MB).toFixed(2)} MB`
    info.annotations.push({ type: 'measured', description: measured })
    console.log(measured)
    expect(received, 'what was paid for is given').toBeGreaterThan(0.99 * total)
    expect(service.origin.sent - before).toBeGreaterThanOrEqual(received)
    expect(overrun, measured).toBeLessThanOrEqual(Math.min(total / 20, 50_000_000))
    for (const proxy of proxies) await proxy.stop()
  })
}

async function counted(apiUser: ApiUser): Promise<number> {
  const { upload, download } = await apiUser.usage()
  return upload + download
}
