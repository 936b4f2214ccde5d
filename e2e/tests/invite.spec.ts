import { randomUUID } from 'node:crypto'
import type { Browser, Page } from '@playwright/test'
import { ApiUser } from '../harness/api-user.ts'
import type { TestService } from '../harness/test-service.ts'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

/** A tenth of a plan for 100.00, which is released by the next run of the job. */
test.beforeEach(({ service }) => service.set('commission_permille=100', 'commission_days=0', 'payout_min="5.00"'))
test.afterEach(({ service }) => service.set('commission_days=14', 'payout_min="0.00"'))

const other = async (browser: Browser, service: TestService): Promise<Page> =>
  (await browser.newContext({ baseURL: service.server.url, locale: 'en-US' })).newPage()

/** Signs up by the invite link and buys the plan by the sandbox. */
async function joinAndBuy(page: Page, link: string, plan: string) {
  const credentials = { email: `${randomUUID()}@example.com`, password: randomUUID() }
  await page.goto(link)
  await page.getByLabel('Email').fill(credentials.email)
  await page.getByLabel('Name').fill('Invited')
  await page.getByLabel('Password', { exact: true }).fill(credentials.password)
  await page.getByLabel('Password again', { exact: true }).fill(credentials.password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page).toHaveURL('/user/dashboard')
  await page.goto('/user/services/buy')
  await page.getByRole('radio', { name: plan }).check({ force: true })
  await page.getByRole('button', { name: 'Pay ¥100.00' }).click()
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await expect(page.getByRole('status').getByText(`Bought: ${plan} · 1 month`)).toBeVisible()
  return credentials
}

test('an invite earns commission, which is moved to the wallet or paid out by staff', async ({ page, browser, service }) => {
  const plan = `Invited ${randomUUID().slice(0, 8)}`
  const shopID = await service.addPlan('--name', plan, '--quota-gb', '10', '--price', '1=100.00')
  const admin = await ApiUser.signIn(service.server.url, service.demo.admin)
  const inviter = await ApiUser.signUp(service.server.url)
  await signIn(page, inviter.credentials)
  await page.goto('/user/promote')
  await expect(page.getByText('Nobody has signed up with your code yet.')).toBeVisible()
  const link = await page.getByRole('region', { name: 'Invite link' }).locator('code').first().innerText()
  expect(link).toContain(`${service.server.url}/auth/sign-up?`)

  const guest = await other(browser, service)
  const invited = await joinAndBuy(guest, link, plan)
  await guest.context().close()

  const commission = page.getByRole('region', { name: 'Commission' })
  const amount = (state: string) => commission.locator('dl > div').filter({ has: page.getByText(state, { exact: true }) })
  const open = async () => {
    await page.goto('/user/promote')
    await expect(commission).toBeVisible()
  }
  const release = async () => {
    await admin.call('POST', '/staff/jobs/timetable/invite.release/run')
    await expect(async () => {
      await open()
      await expect(amount('Released')).toContainText('¥10.00', { timeout: 2_000 })
    }).toPass()
    await expect(amount('Not released yet')).toContainText('¥0.00')
  }

  await test.step('who signed up is shown, and the commission waits for its release', async () => {
    await open()
    await expect(page.getByRole('table', { name: 'Who signed up' }).getByRole('row', { name: /Invited/ })).toContainText('Has bought')
    await expect(amount('Not released yet')).toContainText('¥10.00')
    await expect(amount('Released')).toContainText('¥0.00')
    await expect(commission.getByRole('button')).toHaveCount(0)
  })

  await test.step('released, it is moved to the wallet', async () => {
    await release()
    await commission.getByRole('button', { name: 'Move ¥10.00 to the balance' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Move to the balance' }).click()
    await expect(commission.getByText('It is in your balance.')).toBeVisible()
    await expect(amount('Released')).toContainText('¥0.00')
    await page.goto('/user/wallet')
    await expect(page.getByRole('region', { name: 'Available balance' })).toContainText('10.00')
  })

  const buyer = await ApiUser.signIn(service.server.url, invited)
  const account = `pay-${randomUUID()}@example.com`
  await test.step('commission of a renewal is asked to be paid out, which holds it', async () => {
    await buyer.recharge('100')
    await buyer.buy(shopID)
    await release()
    await commission.getByLabel('Amount').fill('10')
    await commission.getByLabel('Account').fill(account)
    await commission.getByRole('button', { name: 'Ask for the payout' }).click()
    await expect(amount('Being paid out')).toContainText('¥10.00')
    await expect(commission.getByRole('row', { name: new RegExp(account) })).toContainText('To be paid')
    await expect(commission.getByRole('button', { name: /^Move/ })).toHaveCount(0)
  })

  await test.step('staff pays it in the console', async () => {
    const console = await other(browser, service)
    await signIn(console, service.demo.admin)
    await console.goto('/admin/payouts?state=open')
    const row = console.getByRole('table', { name: 'Payouts' }).getByRole('row', { name: new RegExp(account) })
    await row.getByRole('button', { name: /^Actions for/ }).click()
    await console.getByRole('menuitem', { name: 'Note as paid' }).click()
    const dialog = console.getByRole('dialog', { name: 'Note as paid' })
    await expect(dialog).toContainText('¥10.00')
    await expect(dialog).toContainText(account)
    await dialog.getByLabel('Proof of the payment').fill('transfer 4711')
    await dialog.getByRole('button', { name: 'Note as paid' }).click()
    await expect(console.getByText(/^Payout #\d+ is noted as paid$/)).toBeVisible()
    await expect(row).toHaveCount(0)
    await console.context().close()
  })

  await test.step('the user sees that it was paid, and it is gone from the commission', async () => {
    await open()
    await expect(commission.getByRole('row', { name: new RegExp(account) })).toContainText('Paid')
    await expect(amount('Being paid out')).toContainText('¥0.00')
    await expect(amount('Released')).toContainText('¥0.00')
  })
})
