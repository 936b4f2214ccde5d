import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ApiUser } from '../harness/api-user.ts'
import { Download } from '../harness/download.ts'
import { Origin } from '../harness/origin.ts'
import { freePort } from '../harness/ports.ts'
import { Process } from '../harness/process.ts'
import { singBox } from '../harness/programs.ts'
import { nodeOn } from '../harness/sing-box.ts'
import type { TestService } from '../harness/test-service.ts'
import { expect, test } from '../harness/test.ts'

const limit = 3
const rate = 200_000 // Bytes per second.

test(`of 20 addresses on two nodes ${limit} are served, and a new one takes the slot of the oldest`, async ({ service }) => {
  const apiUser = await ApiUser.signUp(service.server.url)
  await apiUser.recharge('1.00')
  await apiUser.buy(await service.addPlan('--name', 'Devices', '--quota-gb', '100', '--devices', String(limit), '--price', '1=1.00'))
  const { proxies, stop } = await addresses(service, apiUser, 21)
  const origin = await Origin.start()
  const open = (port: number) => new Download(port, origin.port, `/slow/${rate * 120}/${rate}`, 8)
  const most = mostAtOnce(origin)

  const downloads = proxies.slice(0, 20).map(open)
  const refused = () => downloads.filter((download) => download.over).length
  await expect.poll(refused).toBe(downloads.length - limit)
  for (let second = 0; second < 4; second++) expect(await moving(downloads), 'at any time').toHaveLength(limit)
  const staying = await moving(downloads)

  const newcomer = open(proxies[20]!)
  await expect.poll(() => newcomer.received).toBeGreaterThan(0)
  await expect.poll(refused, 'one had to go').toBe(downloads.length - limit + 1)
  const now = await moving([...downloads, newcomer])
  expect(now).toHaveLength(limit)
  expect(now).toContain(newcomer)
  expect(now.filter((download) => staying.includes(download))).toHaveLength(limit - 1)
  const { access } = await apiUser.call<{ access: { online_devices: number } }>('GET', '/user/dashboard')
  expect(access.online_devices).toBe(limit)
  expect(most()).toBe(limit)
  for (const download of [...downloads, newcomer]) download.stop()
  await stop()
  await origin.stop()
})

/** Samples the number of open connections of a web server and returns the maximum. Nodes open none for an address without a slot. */
function mostAtOnce(origin: Origin): () => number {
  let most = 0
  let before = 0
  const timer = setInterval(() => {
    const now = origin.open
    most = Math.max(most, Math.min(before, now)) // The end of one connection and the start of the next may be observed in either order.
    before = now
  }, 20)
  return () => {
    clearInterval(timer)
    return most
  }
}

/** Returns the downloads that receive data within a second. */
async function moving(downloads: Download[]): Promise<Download[]> {
  const before = downloads.map((download) => download.received)
  await wait(1000)
  return downloads.filter((download, index) => download.received > before[index]!)
}

/** One sing-box that represents several devices, each with its own address and proxy port, alternating between two nodes. */
async function addresses(service: TestService, apiUser: ApiUser, count: number): Promise<{ proxies: number[]; stop(): Promise<void> }> {
  const profile = await apiUser.profile()
  const nodes = [1, 3].map((index) => {
    const name = nodeOn(profile, service.agents[index]!.node.port)
    return profile.outbounds.find(({ tag }) => tag === name)!
  })
  const proxies: number[] = []
  for (let i = 0; i < count; i++) proxies.push(await freePort())
  const config = {
    inbounds: proxies.map((port, i) => ({ type: 'mixed', tag: `in-${i}`, listen: '127.0.0.1', listen_port: port })),
    outbounds: proxies.map((_, i) => ({ ...nodes[i % 2]!, tag: `out-${i}`, inet4_bind_address: `127.0.1.${i + 1}` })),
    route: { rules: proxies.map((_, i) => ({ inbound: [`in-${i}`], action: 'route', outbound: `out-${i}` })) },
  }
  const file = join(service.folder, 'devices.json')
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 })
  const process = new Process('sing-box of 21 devices', singBox, ['run', '-c', file, '-D', service.folder, '--disable-color'], { log: join(service.folder, 'sing-box.log') })
  await process.waitForLine(/sing-box started/)
  return { proxies, stop: () => process.stop() }
}
