import { createHash, randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { parse } from 'yaml'
import { singBoxApp } from '../harness/api-user.ts'
import { Download } from '../harness/download.ts'
import { nodeOn, SingBox, type Profile } from '../harness/sing-box.ts'
import { expect, test } from '../harness/test.ts'

/*
 * The complete use by one user, in the browser and in the real client: sign up, pay, buy, connect over each protocol, see the
 * traffic, use up the quota, pay again, continue.
 */

const MB = 2 ** 20
const file = 5 * MB
const fileHash = createHash('sha256').update(Buffer.alloc(file, 'airstrip')).digest('hex')

test('sign up, recharge, buy, browse through each protocol, use up the quota, buy more, continue', async ({ page, service }) => {
  const plan = `Journey ${randomUUID()}`
  const refill = `Refill ${randomUUID()}`
  await service.addPlan('--name', plan, '--quota-gb', '0.04', '--price', '1=12.00') // 40.96 MB
  await service.addPlan('--package', '--name', refill, '--quota-gb', '0.1', '--price', '3.00')

  await test.step('sign up', async () => {
    await page.goto('/auth/sign-up')
    await page.getByLabel('Email').fill(`${randomUUID()}@example.com`)
    await page.getByLabel('Name').fill('Traveller')
    await page.getByLabel('Password', { exact: true }).fill('correct-horse-7')
    await page.getByLabel('Password again', { exact: true }).fill('correct-horse-7')
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page).toHaveURL('/user/dashboard')
    await expect(page.getByText('No plan yet')).toBeVisible()
  })

  await test.step('recharge', async () => {
    await page.goto('/user/wallet/recharge/new')
    await page.getByLabel('Amount', { exact: true }).fill('15')
    await page.getByRole('button', { name: 'Pay' }).click()
    await expect(page.getByRole('heading', { name: 'Sandbox checkout' })).toBeVisible()
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await expect(page.getByRole('status').getByText('Paid')).toBeVisible()
    await page.getByRole('link', { name: 'See wallet' }).click()
    await expect(page.getByRole('table').getByText('+¥15.00')).toBeVisible()
  })

  await test.step('buy', async () => {
    await page.goto('/user/services/buy')
    await buy(page, plan)
    await expect(page.getByText('Ready to use')).toBeVisible()
  })

  const link = await test.step('read the link', async () => {
    await page.goto('/user/dashboard')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    return await page.getByLabel('subscription link', { exact: true }).innerText()
  })
  const profile = await test.step('download it as the clients do', () => download(link, service.agents.length))

  let moved = 0 // Bytes on the origin's sockets, both directions.
  const measure = () => service.origin.sent + service.origin.received
  await test.step('browse through each protocol', async () => {
    const before = measure()
    for (const { node } of service.agents) {
      await test.step(node.name, async () => {
        const proxy = await SingBox.start(profile, nodeOn(profile, node.port), service.folder)
        expect(await new Download(proxy.port, service.origin.port, '/page').answer()).toMatchObject({ status: 200 })
        expect(await new Download(proxy.port, service.origin.port, `/bytes/${file}`).answer()).toEqual({ status: 200, length: file, sha256: fileHash })
        await proxy.stop()
      })
    }
    moved = measure() - before
  })

  await test.step('the dashboard shows the traffic, to the byte', async () => {
    await expect(async () => {
      const { used_bytes } = await access(page)
      expect(used_bytes).toBe(moved)
    }).toPass({ intervals: [100] })
    await expect(page.getByRole('region', { name: 'Connection' }).getByText(`${Math.round(moved / MB * 10) / 10} MB`)).toBeVisible()
  })

  await test.step('the quota is used up on two nodes at once: cut off', async () => {
    const { remaining_bytes } = await access(page)
    const before = measure()
    const proxies = await Promise.all([0, 3].map((index) => SingBox.start(profile, nodeOn(profile, service.agents[index]!.node.port), service.folder)))
    const downloads = proxies.map((proxy) => new Download(proxy.port, service.origin.port, `/slow/${100 * MB}/${4 * MB}`))
    await expect.poll(() => measure() - before, { intervals: [10] }).toBeGreaterThanOrEqual(remaining_bytes)
    for (const download of downloads) expect(await download.answer(), 'cut off').toBeUndefined()

    for (const proxy of proxies) {
      expect(await new Download(proxy.port, service.origin.port, '/page').answer(), 'nothing more').toBeUndefined()
      await proxy.stop()
    }
    // An agent cuts by itself and reports it a moment later.
    await expect(async () => expect((await access(page)).state).toBe('exhausted')).toPass({ intervals: [100] })
    await expect(page.getByText('Traffic used up')).toBeVisible()
  })

  await test.step('buy a package: it works again with the same link', async () => {
    await page.getByRole('link', { name: 'Buy a package' }).click()
    await buy(page, refill)
    await expect(page.getByText('Ready to use')).toBeVisible()
    for (const { node } of service.agents) {
      const proxy = await SingBox.start(profile, nodeOn(profile, node.port), service.folder)
      await expect(async () => {
        expect(await new Download(proxy.port, service.origin.port, '/page').answer()).toMatchObject({ status: 200 })
      }).toPass({ intervals: [50] })
      await proxy.stop()
    }
  })
})

/** Buys the product called name on the shop page, and returns to the dashboard. */
async function buy(page: Page, name: string): Promise<void> {
  await page.getByRole('radio', { name }).check({ force: true }) // The card receives the click.
  await page.getByRole('button', { name: 'from balance' }).click()
  await expect(page.getByRole('heading', { name: 'Done' })).toBeVisible()
  await page.getByRole('link', { name: 'Connect a device' }).click()
}

/** Reloads the dashboard and returns the data that it receives. */
async function access(page: Page): Promise<{ used_bytes: number; remaining_bytes: number; state: string }> {
  const answer = page.waitForResponse((response) => response.url().endsWith('/api/v2/user/dashboard') && response.ok())
  await page.goto('/user/dashboard')
  const { result } = (await (await answer).json()) as { result: { access: { used_bytes: number; remaining_bytes: number; state: string } } }
  return result.access
}

/** Downloads the link as different clients and returns the profile of sing-box. */
async function download(link: string, nodes: number): Promise<Profile> {
  const as = async (userAgent: string) => {
    const answer = await fetch(link, { headers: { 'user-agent': userAgent } })
    expect(answer.status, userAgent).toBe(200)
    expect(answer.headers.get('subscription-userinfo'), userAgent).toMatch(/^upload=\d+; download=\d+; total=\d+; expire=\d+$/)
    return answer
  }
  const clash = parse(await (await as('clash-verge/v2.4.0')).text()) as { proxies: { name: string; type: string }[] }
  expect(clash.proxies.length).toBeGreaterThanOrEqual(nodes)
  expect(clash.proxies.map(({ type }) => type)).toEqual(expect.arrayContaining(['vless', 'vmess', 'ss', 'trojan', 'hysteria2']))

  const list = Buffer.from(await (await as('v2rayN/7.23.4')).text(), 'base64').toString('utf8').trim().split('\n')
  expect(list.length).toBeGreaterThanOrEqual(nodes)
  for (const line of list) expect(new URL(line).protocol).toMatch(/^(vless|vmess|ss|trojan|hysteria2|hy2):$/)

  const answer = await as(singBoxApp)
  const etag = answer.headers.get('etag')
  expect(etag).toBeTruthy()
  const again = await fetch(link, { headers: { 'user-agent': singBoxApp, 'if-none-match': String(etag) } })
  expect(again.status, 'nothing new').toBe(304)
  return (await answer.json()) as Profile
}
