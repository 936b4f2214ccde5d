import type { Page } from '@playwright/test'
import { ApiUser } from '../harness/api-user.ts'
import { expect, test } from '../harness/test.ts'
import { signIn, type Credentials } from '../harness/user.ts'

// Each form's request is delayed until its button was checked.
test.use({ allowedErrors: /status of (4\d\d) / })

let me: Credentials
test.beforeEach(async ({ page, service }) => {
  me = (await ApiUser.signUp(service.server.url)).credentials
  await signIn(page, me)
})

/** Presses a button by keyboard. It keeps the focus and its label while the request to `path` runs. */
async function press(page: Page, name: string, path: string): Promise<void> {
  let [see, release] = [() => {}, () => {}]
  const seen = new Promise<void>((resolve) => (see = resolve))
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route(`**/api/v2/${path}`, async (route) => {
    if (route.request().method() === 'GET') return route.continue()
    see()
    await released
    await route.continue()
  })
  const button = page.getByRole('button', { name, exact: true })
  await button.focus()
  await page.keyboard.press('Enter')
  await seen
  await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))))
  await expect(button, `${name} keeps its label and the focus`).toBeFocused()
  await expect(button).toHaveAttribute('aria-disabled', 'true')
  release()
}

const isLost = (page: Page) => page.evaluate(() => document.activeElement === document.body || document.activeElement === null)

test('profile: the save button keeps the focus, and a status message appears', async ({ page }) => {
  await page.goto('/user/account/edit-profile')
  await page.getByLabel('Name').fill('Somebody else')
  await press(page, 'Save', 'user/account/edit-profile')
  await expect(page.getByRole('status').getByText(/saved|changed/i)).toBeVisible()
  expect(await isLost(page)).toBe(false)
})

test('password: the invalid field gets the focus', async ({ page }) => {
  await page.goto('/user/account/edit-password')
  await page.getByLabel('Current password', { exact: true }).fill('not my password')
  await page.getByLabel('New password', { exact: true }).fill('another long password')
  await press(page, 'Change password', 'user/account/change-password')
  await expect(page.getByLabel('Current password', { exact: true })).toBeFocused()
  await expect(page.getByLabel('Current password', { exact: true })).toHaveAttribute('aria-invalid', 'true')
})

test('e-mail: each step moves the focus to the next', async ({ page }) => {
  await page.goto('/user/account/edit-email')
  await page.getByLabel('New email').fill(`new-${me.email}`)
  await page.getByLabel('Current password', { exact: true }).fill(me.password)
  await press(page, 'Send the codes', 'user/account/edit-email/request-email-code')
  await expect(page.getByLabel(`Code sent to ${me.email}`)).toBeFocused()
  await page.getByRole('button', { name: 'Use another address' }).press('Enter')
  await expect(page.getByLabel('New email')).toBeFocused()
})

test('cd-key: the field gets the focus when the key is invalid', async ({ page }) => {
  await page.goto('/user/wallet/recharge/cd-key')
  const field = page.getByRole('textbox').first()
  await field.fill('ABCD')
  await page.getByRole('button', { name: 'Redeem' }).press('Enter')
  await expect(field).toBeFocused()
  await field.fill('ABCDE-FGHJK-LMNPQ-RSTUV')
  await press(page, 'Redeem', 'user/**')
  await expect(field).toBeFocused()
  await expect(field).toHaveAttribute('aria-invalid', 'true')
})

test('devices: the list gets the focus when one was signed out', async ({ page, service, browser }) => {
  const other = await browser.newPage({ baseURL: service.server.url, locale: 'en-US' })
  await signIn(other, me)
  await other.close()
  await page.goto('/user/account/security')
  await page.getByRole('button', { name: /^Sign out (?!all)/ }).first().press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect.poll(() => isLost(page)).toBe(false)
  expect(await page.evaluate(() => document.querySelector('main')?.contains(document.activeElement))).toBe(true)
})
