import { ApiUser } from '../harness/api-user.ts'
import { Download } from '../harness/download.ts'
import { nodeOn, SingBox } from '../harness/sing-box.ts'
import type { TestService } from '../harness/test-service.ts'
import { expect, test } from '../harness/test.ts'

/*
 * With one report per minute, as on a real site, the end of a quota must not wait for the next report.
 */

const MB = 2 ** 20
const rate = 4 * MB // Per second.

test.beforeAll(async ({ service }) => {
  await service.server.command('setting', 'set', 'node_report_seconds=60')
})
test.afterAll(async ({ service }) => {
  await service.server.command('setting', 'set', 'node_report_seconds=1')
})

for (const nodes of [[0], [1, 2]]) {
  test(`used on ${nodes.length} at a time it ends`, async ({ service }) => {
    const { apiUser, proxies } = await newCustomer(service, nodes)
    const { total } = await apiUser.usage()
    const before = service.origin.sent
    const downloads = proxies.map((proxy) => new Download(proxy.port, service.origin.port, `/slow/${100 * MB}/${rate}`))
    await expect.poll(() => service.origin.sent - before, { intervals: [10] }).toBeGreaterThanOrEqual(total)
    for (const download of downloads) expect(await download.answer(), 'cut off').toBeUndefined()

    const received = downloads.reduce((sum, download) => sum + download.received, 0)
    await expect.poll(() => counted(apiUser)).toBeGreaterThanOrEqual(received)
    // A single node stops at the exact packet; several serve what they have leased.
    const overrun = nodes.length === 1 ? 64 * 1024 : total / 20
    expect(await counted(apiUser)).toBeLessThanOrEqual(total + overrun)
    for (const proxy of proxies) await proxy.stop()
  })
}

async function counted(apiUser: ApiUser): Promise<number> {
  const { upload, download } = await apiUser.usage()
  return upload + download
}

async function newCustomer(service: TestService, nodes: number[]): Promise<{ apiUser: ApiUser; proxies: SingBox[] }> {
  const apiUser = await ApiUser.signUp(service.server.url)
  await apiUser.recharge('1.00')
  await apiUser.buy(await service.addPlan('--name', 'Quota', '--quota-gb', '0.02', '--price', '1=1.00'))
  const profile = await apiUser.profile()
  const proxies = nodes.map((index) => SingBox.start(profile, nodeOn(profile, service.agents[index]!.node.port), service.folder))
  return { apiUser, proxies: await Promise.all(proxies) }
}
