import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import { ApiUser } from '../harness/api-user.ts'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

/* The ways to a plan, counted in clicks, and what happens to a choice when a payment fails, a coupon ends or a tab is closed. */

test.use({ allowedErrors: /status of 4(09|22)|scheme does not have a registered handler/ })

const phone = { width: 390, height: 844 }

/** Counts clicks in the app and on the page of the payment provider. */
class Clicks {
  app = 0
  provider = 0

  async on(target: Locator): Promise<void> {
    const { pathname } = new URL(target.page().url())
    if (pathname.startsWith('/sandbox/')) this.provider++
    else this.app++
    await target.click()
  }
}

/** Returns the visible one of several elements: a page may have its action a second time at the lower edge of a phone. */
const shown = (target: Locator) => target.filter({ visible: true }).last()

async function expectInWindow(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  await expect(async () => {
    const box = await target.boundingBox()
    const bar = await page.getByRole('navigation', { name: 'Top bar' }).or(page.getByRole('navigation', { name: 'Quick links' })).last().boundingBox()
    const edge = Math.min(page.viewportSize()?.height ?? 0, bar && bar.y > 400 ? bar.y : Infinity)
    expect(page.viewportSize()?.height).toBeGreaterThan(0)
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(edge)
  }).toPass()
}

async function fillSignUp(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(`${randomUUID()}@example.com`)
  await page.getByLabel('Name').fill('Newcomer')
  await page.getByLabel('Password', { exact: true }).fill('correct-horse-7')
  await page.getByLabel('Password again', { exact: true }).fill('correct-horse-7')
}

test('the first purchase takes four clicks in the app and one at the provider, on a phone', async ({ page }) => {
  await page.setViewportSize(phone)
  const clicks = new Clicks()
  await page.goto('/auth/sign-up')
  await fillSignUp(page)
  await clicks.on(page.getByRole('button', { name: 'Create account' }))
  await clicks.on(page.getByRole('link', { name: 'Choose a plan' }))
  await clicks.on(shown(page.getByRole('button', { name: /^Pay ¥/ })))
  await expect(page.getByRole('heading', { name: 'Sandbox checkout' })).toBeVisible()
  await clicks.on(page.getByRole('button', { name: 'Pay', exact: true }))
  await expect(page.getByRole('status').getByText(/^Bought: /)).toBeVisible()
  const importing = page.getByRole('button', { name: /^Import to / })
  await expectInWindow(page, importing)
  await clicks.on(importing)
  expect({ ...clicks }).toEqual({ app: 4, provider: 1 })

  await test.step('home has the import button in the window, and the client to install for it', async () => {
    await page.goto('/user/dashboard')
    await expectInWindow(page, importing)
    const client = (await importing.innerText()).replace('Import to ', '')
    await expect(page.getByRole('listitem').getByRole('link', { name: `Get ${client}` })).toHaveAttribute('href', /^https:/)
  })
})

test('a guest who chose a plan has it after signing up', async ({ page, service }) => {
  const plan = `Guest ${randomUUID().slice(0, 8)}`
  await service.addPlan('--name', plan, '--quota-gb', '10', '--price', '1=5.00', '--price', '12=50.00')
  const apiUser = await ApiUser.signUp(service.server.url)
  const plans = await apiUser.call<{ id: number; name: string }[]>('GET', '/user/shop/plans')
  const id = plans.find(({ name }) => name === plan)?.id
  await page.goto(`/user/services/buy?plan=${id}&months=12`)
  await page.getByRole('link', { name: 'Sign up' }).click()
  await fillSignUp(page)
  await page.reload()
  await fillSignUp(page)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('radio', { name: plan })).toBeChecked()
  await expect(page.getByRole('region', { name: 'Summary' })).toContainText(`${plan} · 12 months`)
})

test('on a phone the price of the choice stays in view while the plans are scrolled', async ({ page, service }) => {
  await page.setViewportSize(phone)
  const mark = randomUUID().slice(0, 8)
  for (const name of ['First', 'Second', 'Third']) {
    await service.addPlan('--name', `${name} ${mark}`, '--quota-gb', '10', '--price', '1=7.00', '--price', '12=70.00')
  }
  const apiUser = await ApiUser.signUp(service.server.url)
  await signIn(page, apiUser.credentials)
  await page.goto('/user/services/buy?months=1')
  await page.getByRole('radio', { name: `Third ${mark}` }).check({ force: true })

  const bar = page.locator('div').filter({ hasText: `Third ${mark} · ` }).filter({ has: page.getByRole('button', { name: /^Pay ¥/ }) }).last()
  const hasPrice = async (period: string, price: string) => {
    await expect(bar).toHaveCSS('position', 'fixed')
    await expect(bar).toBeInViewport({ ratio: 1 })
    await expect(bar).toContainText(`Third ${mark} · ${period}`)
    await expectInWindow(page, bar.getByRole('button', { name: `Pay ¥${price}`, exact: true }))
  }
  await page.getByRole('radio', { name: `First ${mark}` }).scrollIntoViewIfNeeded()
  await hasPrice('1 month', '7.00')
  await page.getByRole('radiogroup', { name: 'Period' }).getByText(/^12 months/).first().click()
  await hasPrice('12 months', '70.00')
  await page.getByRole('radio', { name: `Third ${mark}` }).scrollIntoViewIfNeeded()
  await hasPrice('12 months', '70.00')
})

test('a payment that failed is made again for the same plan, period and coupon', async ({ page, service }) => {
  const plan = `Pro ${randomUUID().slice(0, 8)}`
  const coupon = `AGAIN-${randomUUID().slice(0, 8)}`.toUpperCase()
  await service.addPlan('--name', plan, '--quota-gb', '10', '--price', '1=5.00', '--price', '12=50.00')
  await service.server.command('coupon', 'add', coupon, '--percent', '20', '--per-user', '1')
  const apiUser = await ApiUser.signUp(service.server.url)
  await signIn(page, apiUser.credentials)

  await page.goto(`/user/services/buy?months=12&coupon=${coupon}`)
  await page.getByRole('radio', { name: plan }).check({ force: true })
  await page.getByRole('button', { name: 'Pay ¥40.00' }).click()
  await expect(page.getByRole('heading', { name: 'Sandbox checkout' })).toBeVisible()

  await test.step('back from the provider without paying, the page says what is paid for', async () => {
    await page.goBack()
    await expect(page.getByRole('heading', { name: 'Pay for your order' })).toBeVisible()
    await expect(page.getByText(`${plan} · 12 months`)).toBeVisible()
    await page.reload()
    await page.getByRole('link', { name: 'Go and pay' }).click()
  })

  await page.getByRole('button', { name: 'Let the payment fail' }).click()
  await expect(page.getByText('Payment failed')).toBeVisible()
  await page.getByRole('button', { name: 'Pay again' }).click()
  await expect(page.getByRole('radio', { name: plan })).toBeChecked()
  const summary = page.getByRole('region', { name: 'Summary' })
  await expect(summary).toContainText(`${plan} · 12 months`)
  await expect(summary.getByLabel('Coupon')).toHaveValue(coupon)
  await page.getByRole('button', { name: 'Pay ¥40.00' }).click()
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await expect(page.getByRole('status').getByText(`Bought: ${plan} · 12 months`)).toBeVisible()
  await page.reload()
  await expect(page.getByRole('status').getByText(`Bought: ${plan} · 12 months`)).toBeVisible()
})

test('a coupon that expired during payment is reported, and nothing else is charged silently', async ({ page, service }) => {
  const plan = `Late ${randomUUID().slice(0, 8)}`
  const coupon = `ENDS-${randomUUID().slice(0, 8)}`.toUpperCase()
  await service.addPlan('--name', plan, '--quota-gb', '10', '--price', '1=30.00')
  const made = JSON.parse(await service.server.command('coupon', 'add', coupon, '--percent', '50')) as { ID: number }
  const apiUser = await ApiUser.signUp(service.server.url)
  await signIn(page, apiUser.credentials)
  await page.goto(`/user/services/buy?coupon=${coupon}`)
  await page.getByRole('radio', { name: plan }).check({ force: true })
  await page.getByRole('button', { name: 'Pay ¥15.00' }).click()
  await expect(page.getByRole('heading', { name: 'Sandbox checkout' })).toBeVisible()
  await service.server.command('coupon', 'change', String(made.ID), '--no-enabled')
  await page.goBack()
  await page.getByRole('button', { name: 'Another way to pay' }).click()
  const summary = page.getByRole('region', { name: 'Summary' })
  await expect(page.getByRole('radio', { name: plan })).toBeChecked()
  await expect(summary.getByText('There is no such coupon')).toBeVisible()
  await expect(summary.getByRole('alert').filter({ hasText: 'When you ordered it was ¥15.00' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Pay ¥30.00 without the coupon' })).toBeVisible()
})

test('renewing from the dashboard takes two clicks and shows the new end', async ({ page, service }) => {
  await page.setViewportSize(phone)
  const plan = `Renew ${randomUUID().slice(0, 8)}`
  const shopID = await service.addPlan('--name', plan, '--quota-gb', '10', '--price', '1=10.00')
  const apiUser = await ApiUser.signUp(service.server.url)
  await apiUser.recharge('50')
  await apiUser.buy(shopID)
  await signIn(page, apiUser.credentials)
  const clicks = new Clicks()
  await clicks.on(page.getByRole('link', { name: 'Renew', exact: true }))
  await clicks.on(shown(page.getByRole('button', { name: 'Pay ¥10.00 from balance' })))
  await expect(page.getByRole('status').getByText(/^Renewed until /)).toBeVisible()
  expect({ ...clicks }).toEqual({ app: 2, provider: 0 })
})

test('a change of plan preselects nothing, compares, and asks once', async ({ page, service }) => {
  const mark = randomUUID().slice(0, 8)
  const shopID = await service.addPlan('--name', `Big ${mark}`, '--quota-gb', '20', '--price', '1=50.00')
  await service.addPlan('--name', `Small ${mark}`, '--quota-gb', '10', '--price', '1=20.00')
  const apiUser = await ApiUser.signUp(service.server.url)
  await apiUser.recharge('60')
  await apiUser.buy(shopID)
  await signIn(page, apiUser.credentials)
  await page.goto('/user/services')
  await page.getByRole('article', { name: `Big ${mark}` }).getByRole('link', { name: 'Change plan' }).click()
  await expect(page.getByRole('radio', { name: `Big ${mark}` })).toBeDisabled()
  await expect(page.getByText('Your present plan')).toBeVisible()
  await expect(page.getByRole('radio', { checked: true, name: mark })).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^(Pay|Confirm|Change)/ })).toHaveCount(0)

  await page.getByRole('radio', { name: `Small ${mark}` }).check({ force: true })
  const compared = page.getByRole('table', { name: 'Before and after' })
  await expect(compared.getByRole('row', { name: /Plan/ })).toContainText(`Big ${mark}`)
  await expect(compared.getByRole('row', { name: /Plan/ })).toContainText(`Small ${mark}`)
  await expect(compared.getByRole('row', { name: /Traffic/ })).toContainText('less')
  await shown(page.getByRole('button', { name: /^Change to Small/ })).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText(`Big ${mark} ends now`)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const { services } = await apiUser.call<{ services: { name: string; state: string }[] }>('GET', '/user/services')
  expect(services.map(({ name, state }) => `${name} ${state}`)).toEqual([`Big ${mark} running`])

  await shown(page.getByRole('button', { name: /^Change to Small/ })).click()
  await dialog.getByRole('button', { name: 'Change plan' }).click()
  await expect(page.getByRole('status').getByText(`Changed: Big ${mark} → Small ${mark}`)).toBeVisible()
})

test('a purchase that is open in two tabs is made once, and its result outlives a reload', async ({ page, service }) => {
  const plan = `Twice ${randomUUID().slice(0, 8)}`
  await service.addPlan('--name', plan, '--quota-gb', '10', '--price', '1=10.00')
  const apiUser = await ApiUser.signUp(service.server.url)
  await apiUser.recharge('50')
  await signIn(page, apiUser.credentials)
  await page.goto('/user/services/buy')
  await page.getByRole('radio', { name: plan }).check({ force: true })
  await expect(page.getByRole('button', { name: 'Pay ¥10.00 from balance' })).toBeVisible()
  const tab = await page.context().newPage()
  await tab.goto(page.url())
  await expect(tab.getByRole('button', { name: 'Pay ¥10.00 from balance' })).toBeVisible()
  await shown(page.getByRole('button', { name: 'Pay ¥10.00 from balance' })).dblclick()
  for (const one of [page, tab]) {
    await expect(one.getByRole('status').getByText(`Bought: ${plan} · 1 month`)).toBeVisible()
    await one.reload()
    await expect(one.getByRole('status').getByText(`Bought: ${plan} · 1 month`)).toBeVisible()
  }
  const { services } = await apiUser.call<{ services: { name: string }[] }>('GET', '/user/services')
  expect(services.map(({ name }) => name)).toEqual([plan])
})
