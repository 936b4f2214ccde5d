import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

test('from sign-in to import without a mouse', async ({ page, service }) => {
  await page.goto('/auth/sign-in')
  await expect(page.getByLabel('Email')).toBeFocused()
  await page.keyboard.type(service.demo.user.email)
  await move(page, 'Tab', /^Password$/)
  await page.keyboard.type(service.demo.user.password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/user/dashboard')
  await expect(page.getByRole('button', { name: /^Import to / })).toBeEnabled()

  await move(page, 'Tab', /^QR code$/)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog').locator(':focus'), 'a dialog takes the focus').toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'QR code' }), 'and gives it back').toBeFocused()

  await move(page, 'Shift+Tab', /^Import to /)
  const opened = page.waitForRequest((request) => !request.url().startsWith('http'))
  await page.keyboard.press('Enter')
  expect(decodeURIComponent((await opened).url())).toContain(`url=${service.server.url}/link2/${service.demo.user.link_token}`)
  await expect(page.getByRole('dialog', { name: /did not open/ }), 'no such client on this machine').toBeVisible()
})

test('from sign-up over a paid plan to import without a mouse', async ({ page }) => {
  await page.goto('/auth/sign-up')
  await expect(page.getByLabel('Email')).toBeFocused()
  await page.keyboard.type(`${randomUUID()}@example.com`)
  await move(page, 'Tab', /^Name/)
  await page.keyboard.type('Newcomer')
  await move(page, 'Tab', /^Password$/)
  await page.keyboard.type('correct-horse-7')
  await move(page, 'Tab', /^Password again/)
  await page.keyboard.type('correct-horse-7')
  await page.keyboard.press('Enter')

  await expect(page.getByRole('link', { name: 'Choose a plan' })).toBeVisible()
  await move(page, 'Tab', /^Choose a plan$/)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: /^Pay ¥/ }).first()).toBeEnabled()
  await move(page, 'Tab', /^Pay ¥/)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Sandbox checkout' })).toBeVisible()
  await move(page, 'Tab', /^Pay$/)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status').getByText(/^Bought: /)).toBeVisible()
  await expect(page.getByRole('button', { name: /^Import to / })).toBeVisible() // it comes after the result
  await move(page, 'Tab', /^Import to /)
})

test('the menu of filters gives the focus to its button', async ({ page, service }) => {
  await signIn(page, service.demo.admin)
  await page.goto('/admin/users')
  await expect(page.getByRole('table')).toBeVisible()
  await page.keyboard.press('f')
  await expect(page.getByRole('dialog').locator(':focus')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Filter', exact: true })).toBeFocused()
})

/** Presses key until the element called name has the focus. */
async function move(page: Page, key: string, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press(key)
    const called = await page.evaluate(() => {
      const element = document.activeElement ?? document.body
      return element.getAttribute('aria-label') ?? (element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : element.textContent)
    })
    if (called && name.test(called.trim())) return
  }
  throw new Error(`${name} cannot be reached with ${key}`)
}
