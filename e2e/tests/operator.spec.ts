import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from '@playwright/test'
import { Agent } from '../harness/agent.ts'
import { ApiUser } from '../harness/api-user.ts'
import { Download } from '../harness/download.ts'
import { freePort } from '../harness/ports.ts'
import { Server } from '../harness/server.ts'
import { newFolder } from '../harness/folder.ts'
import { nodeOn, SingBox } from '../harness/sing-box.ts'
import { expect, test } from '../harness/test.ts'

/** Counts the presses of one person; keys that move between fields are not among them. */
class Clicks {
  count = 0

  async on(target: Locator): Promise<void> {
    this.count++
    await target.click()
  }
}

test('from an empty folder to a paid customer online, without a command but serve and the install line', async ({ browser, service }, info) => {
  test.setTimeout(300_000)
  const folder = newFolder('airstrip-operator-')
  const server = await Server.prepare(folder, undefined, join(service.folder, 'empty-server.log'), false)
  await server.start()
  const open = async () => (await browser.newContext({ baseURL: server.url, locale: 'en-US' })).newPage()
  const began = Date.now()
  const [owner, customer] = [new Clicks(), new Clicks()]

  const page = await open()
  await test.step('the first visitor with the code becomes the owner', async () => {
    await page.goto('/')
    await page.getByLabel('Setup code').fill(await server.setupCode())
    await owner.on(page.getByRole('button', { name: 'Next' }))
    await page.getByLabel('Email').fill('owner@example.com')
    await page.getByLabel('Password', { exact: true }).fill('correct-horse-7')
    await page.getByLabel('Password again').fill('correct-horse-7')
    await page.getByLabel('Name of the site').fill('Northwind')
    await owner.on(page.getByRole('button', { name: 'Make it mine' }))
    await owner.on(page.getByRole('button', { name: 'Later, go to the console' }))
    await expect(page).toHaveURL('/admin')
  })

  const overview = page.getByRole('navigation', { name: 'Console navigation' }).getByRole('link', { name: 'Overview' })
  const step = async (name: string) => {
    if (new URL(page.url()).pathname !== '/admin') await owner.on(overview)
    await owner.on(page.getByRole('region', { name: 'First steps' }).getByRole('link', { name: new RegExp(`^${name}`) }))
  }
  await test.step('the first steps lead to the site, a gateway, a plan and a node', async () => {
    await step('Site')
    await page.getByLabel('Contact e-mail').fill('help@example.com')
    await owner.on(page.getByRole('button', { name: 'Save' }))
    await expect(page.getByText('Nothing changed yet.')).toBeVisible()

    await step('Payment gateway')
    await page.getByLabel('Platform').selectOption('manual')
    await expect(page.getByLabel('Currency', { exact: true }), 'the currency of the site').toHaveValue('CNY')
    await page.getByLabel('Name', { exact: false }).first().fill('bank')
    await page.getByLabel('How to pay, in Chinese').fill('转账到 1234')
    await page.getByLabel('How to pay, in English').fill('Send it to account 1234.')
    await owner.on(page.getByRole('button', { name: 'Add the gateway' }))
    await expect(page).toHaveURL('/admin/gateways')

    await step('Plan')
    await page.getByLabel('Name', { exact: false }).first().fill('Standard')
    await page.getByLabel('1 month', { exact: true }).fill('9.90')
    await owner.on(page.getByRole('button', { name: 'Put it into the shop' }))
    await expect(page).toHaveURL('/admin/plans')
  })

  const agent = await test.step('the node is online', async () => {
    await step('Node')
    await owner.on(page.getByRole('link', { name: 'New node' }))
    const port = await freePort()
    await page.getByRole('combobox', { name: 'Protocol' }).selectOption('trojan')
    await page.getByLabel('Name', { exact: false }).first().fill('Tokyo')
    await page.getByLabel(/^Address/).first().fill('127.0.0.1')
    await page.getByLabel(/^Port/).first().fill(String(port))
    await owner.on(page.getByRole('button', { name: 'Add the node' }))
    const line = await page.getByText(/^curl .* sh -s -- /).innerText()
    const [, secret = '', id = ''] = /AIRSTRIP_NODE_SECRET='([^']+)' sh -s -- '[^']+' (\d+)/.exec(line) ?? []
    const started = new Agent({ name: 'Tokyo', id: Number(id), secret, protocol: 'trojan', port }, server.url, folder, join(service.folder, 'empty-node.log'))
    await started.start()
    await expect(page.getByText('Online', { exact: true }).first()).toBeVisible({ timeout: 60_000 })
    // The origin of the test has a private address, which no customer's site has.
    await server.command('setting', 'set', 'node_allow_private=true')
    return started
  })

  const shopper = await open()
  const credentials = { email: 'customer@example.com', password: 'correct-horse-8' }
  await test.step('a customer signs up and orders', async () => {
    await shopper.goto('/auth/sign-up')
    await shopper.getByLabel('Email').fill(credentials.email)
    await shopper.getByLabel('Name').fill('Customer')
    await shopper.getByLabel('Password', { exact: true }).fill(credentials.password)
    await shopper.getByLabel('Password again').fill(credentials.password)
    await customer.on(shopper.getByRole('button', { name: 'Create account' }))
    await customer.on(shopper.getByRole('link', { name: 'Choose a plan' }))
    await customer.on(shopper.getByRole('button', { name: 'Pay ¥9.90' }).first())
    await expect(shopper.getByText('Send it to account 1234.')).toBeVisible()
  })

  await test.step('the payment waits on the overview and is confirmed', async () => {
    await owner.on(overview)
    await owner.on(page.getByRole('link', { name: /Transfers to confirm/ }))
    await owner.on(page.getByRole('link', { name: '#1' }))
    await owner.on(page.getByRole('button', { name: 'Confirm payment' }))
    const dialog = page.getByRole('dialog', { name: 'Confirm payment' })
    await dialog.getByLabel(/^Reason/).fill('Seen on the statement')
    await owner.on(dialog.getByRole('button', { name: 'Confirm payment' }))
    await expect(page.getByRole('heading', { level: 1 }).locator('..').getByText('Paid')).toBeVisible()
  })

  await test.step('the customer is told, imports the link and is online', async () => {
    await expect(shopper.getByText('Bought: Standard · 1 month')).toBeVisible({ timeout: 60_000 })
    const profile = await (await ApiUser.signIn(server.url, credentials)).profile()
    const proxy = await SingBox.start(profile, nodeOn(profile, agent.node.port), folder)
    await expect(async () => {
      expect(await new Download(proxy.port, service.origin.port, '/page').answer()).toMatchObject({ status: 200 })
    }).toPass({ timeout: 60_000 })
    await proxy.stop()
  })

  info.annotations.push({ type: 'walk', description: `owner ${owner.count} clicks, customer ${customer.count}, ${Math.round((Date.now() - began) / 1000)} s` })
  expect(owner.count, 'clicks of the owner').toBeLessThanOrEqual(24)
  expect(customer.count, 'clicks of the customer').toBeLessThanOrEqual(3)
  await agent.stop()
  await server.stop()
  for (const one of [page, shopper]) await one.context().close()
  rmSync(folder, { recursive: true })
})
