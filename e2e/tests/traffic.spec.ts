import type { Page } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

const chart = '/user/subscribe-log-chart'
const detail = '/user/subscribe-log-detail'

const widthOver = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** What a button saves. */
async function saved(page: Page, name: string | RegExp): Promise<Buffer> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name }).first().click(),
  ])
  return readFile(await download.path())
}

test('traffic is drawn over time, and its figures are in a table and in files', async ({ page, service }) => {
  await signIn(page, service.demo.user)
  await page.getByRole('link', { name: 'All charts and records' }).click()
  await expect(page).toHaveURL(chart)
  const picture = page.getByRole('img', { name: 'Traffic over time' })
  await expect(picture.locator('canvas')).toBeVisible()
  await page.getByRole('button', { name: 'Zoom in' }).click()
  expect((await saved(page, 'Save as picture')).subarray(1, 4).toString()).toBe('PNG')
  const file = (await saved(page, 'Save as CSV')).toString()
  expect(file).toMatch(/^\uFEFFbegins_at,up_bytes,down_bytes,total_bytes,billed_bytes\n20/)
  expect(file.trim().split('\n').length).toBeGreaterThan(20)

  await page.getByText('7 days').click()
  await expect(page).toHaveURL(/range=7d/)
  await page.getByText('Table', { exact: true }).first().click()
  const table = page.getByRole('group', { name: 'Traffic over time' })
  await expect(table.getByRole('row').nth(1)).toContainText('so far')
  await page.reload()
  await expect(page.getByRole('radio', { name: '7 days' })).toBeChecked()
})

test('a day of the calendar opens with the keyboard and leads to its records', async ({ page, service }) => {
  await signIn(page, service.demo.user)
  await page.goto(chart)
  await page.getByRole('button', { name: 'Previous month' }).click()
  const day = page.getByRole('table').getByRole('button').first()
  await day.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('row').nth(1)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(day).toBeFocused()
  await page.keyboard.press('Enter')
  await dialog.getByRole('link', { name: 'Records of this day' }).click()
  await expect(page).toHaveURL(/subscribe-log-detail\?day=20/)
  await expect(page.getByText(/^\d+ records?$/)).toBeVisible()
})

test('records come as far as one scrolls, and few of them are in the page', async ({ page, service }) => {
  await signIn(page, service.demo.user)
  await page.goto(detail)
  const table = page.getByRole('table', { name: 'Traffic records' })
  const count = Number(await table.getAttribute('aria-rowcount')) - 1
  expect(count).toBeGreaterThan(400)
  await expect(async () => {
    await page.mouse.wheel(0, 20_000)
    await expect(table.locator(`[aria-rowindex="${count + 1}"]`)).toBeVisible({ timeout: 200 })
  }).toPass()
  expect(await table.getByRole('row').count()).toBeLessThan(60)
  const file = (await saved(page, 'Save as CSV')).toString()
  expect(file.trim().split('\n')).toHaveLength(count + 1)
})

for (const [language, title] of [['zh-CN', '流量统计'], ['en', 'Traffic']] as const) {
  test.describe(`on a phone, ${language}`, () => {
    test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: 'dark' })

    test('both pages fit, and a tap opens a day', async ({ page, service }) => {
      await signIn(page, service.demo.user)
      await page.addInitScript((value) => localStorage.setItem('language', value), language)
      await page.goto(chart)
      await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
      const days = page.getByRole('table').getByRole('button')
      await expect(days.first()).toBeVisible()
      expect(await widthOver(page)).toBe(0)
      await days.first().tap()
      await expect(page.getByRole('dialog').getByRole('row').nth(1)).toBeVisible()
      await page.goto(detail)
      await expect(page.getByRole('row').nth(5)).toBeVisible()
      expect(await widthOver(page)).toBe(0)
    })
  })
}
