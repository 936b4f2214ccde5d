import type { Locator, Page } from '@playwright/test'
import { ApiUser } from '../harness/api-user.ts'
import type { TestService } from '../harness/test-service.ts'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

const MEGABYTE = 1024 ** 2
const GIVEN_MEGABYTES = 300

/** A user with a plan of 10 GB, whose home page is open. */
async function customer(page: Page, service: TestService): Promise<ApiUser> {
  const shopID = await service.addPlan('--name', 'Checked', '--quota-gb', '10', '--price', '1=1.00')
  const user = await ApiUser.signUp(service.server.url)
  await user.recharge('1')
  await user.buy(shopID)
  await signIn(page, user.credentials)
  return user
}

const card = (page: Page) => page.getByRole('region', { name: 'Daily check-in' })
const press = (of: Locator) => of.getByRole('button', { name: 'Check in' }).click()

test.beforeEach(({ service }) =>
  service.set(`checkin_min_mb=${GIVEN_MEGABYTES}`, `checkin_max_mb=${GIVEN_MEGABYTES}`, 'captcha_checkin=never', 'captcha_puzzles=5'),
)

test.describe('a customer', () => {
  // Chromium reports the second try of a day.
  test.use({ allowedErrors: /status of 409/ })

  test('checks in once a day, and has the traffic at once', async ({ page, service }) => {
    const user = await customer(page, service)
    const before = (await user.usage()).total
    const today = card(page)
    await expect(today).toContainText(`${GIVEN_MEGABYTES} MB`)
    const tab = await page.context().newPage()
    await tab.goto('/user/dashboard')
    await expect(card(tab).getByRole('button', { name: 'Check in' })).toBeVisible()

    await press(today)
    await expect(today.getByRole('status')).toContainText(`+${GIVEN_MEGABYTES}MB`)
    await expect(today).toContainText('1 day in a row')
    await expect(today.getByRole('button', { name: 'Check in' })).toHaveCount(0)
    expect((await user.usage()).total - before).toBe(GIVEN_MEGABYTES * MEGABYTE)
    await expect(page.getByRole('region', { name: 'Connection' })).toContainText('10.3')

    await test.step('the calendar has the day', async () => {
      await today.getByRole('button', { name: 'Calendar' }).click()
      const dialog = page.getByRole('dialog', { name: 'Calendar' })
      await expect(dialog.locator('[aria-current=date]')).toContainText(`${GIVEN_MEGABYTES} MB`)
      await expect(dialog).toContainText(`1 day, ${GIVEN_MEGABYTES} MB in all`)
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
    })

    await test.step('a tab that was open before says that it is done, and nothing is given again', async () => {
      const answer = tab.waitForResponse((response) => response.request().method() === 'POST' && response.url().includes('/checkin'))
      await press(card(tab))
      expect((await answer).status()).toBe(409)
      await expect(card(tab)).toContainText(`Checked in today: ${GIVEN_MEGABYTES} MB`)
      await expect(card(tab).getByRole('alert')).toHaveCount(0)
      await expect(card(tab).getByRole('button', { name: 'Check in' })).toHaveCount(0)
      expect((await user.usage()).total - before).toBe(GIVEN_MEGABYTES * MEGABYTE)
    })

    await test.step('what was given is listed with the services', async () => {
      await page.goto('/user/services')
      await expect(page.getByRole('main')).toContainText(`${GIVEN_MEGABYTES} MB`)
    })
  })
})

test.describe('a site that asks for a captcha', () => {
  test.use({ allowedErrors: /status of 403/ })

  test('has it solved by the browser, and the check-in goes on by itself', async ({ page, service }) => {
    const user = await customer(page, service)
    const before = (await user.usage()).total
    await service.set('captcha_checkin=always')
    const today = card(page)
    const refused = page.waitForResponse((response) => response.url().includes('/checkin') && response.status() === 403)
    await press(today)
    await refused
    await expect(today.getByRole('status').filter({ hasText: `+${GIVEN_MEGABYTES}MB` })).toBeVisible({ timeout: 90_000 })
    expect((await user.usage()).total - before).toBe(GIVEN_MEGABYTES * MEGABYTE)
  })
})
