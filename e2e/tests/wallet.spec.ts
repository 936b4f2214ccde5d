import type { Page } from '@playwright/test'
import { extractText, getDocumentProxy } from 'unpdf'
import { ApiUser } from '../harness/api-user.ts'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

test('money comes in by a recharge and a cd-key, goes out for a plan, and stands on an invoice that prints', async ({ page, service }) => {
  const apiUser = await ApiUser.signUp(service.server.url)
  const shopID = await service.addPlan('--name', 'Wallet test', '--quota-gb', '10', '--price', '1=30.00')
  await signIn(page, apiUser.credentials)

  await test.step('a recharge survives a reload, and the way back from the gateway', async () => {
    await page.goto('/user/wallet')
    await page.locator('header').getByRole('link', { name: 'Top up', exact: true }).click()
    await page.getByLabel('Amount', { exact: true }).fill('25,5')
    await page.getByRole('button', { name: 'Pay ¥25.50' }).click()
    await expect(page.getByRole('heading', { name: 'Sandbox checkout' })).toBeVisible()
    await page.goBack()
    await expect(page).toHaveURL(/\/user\/wallet\/recharge\/new\?id=\d+$/)
    await expect(page.getByRole('link', { name: 'Go and pay' })).toBeVisible()
    await page.reload()
    await expect(page.getByText('Waiting for your payment')).toBeVisible()

    await page.goto('/user/wallet/recharge')
    await page.getByRole('link', { name: 'Go on paying' }).click()
    await page.getByRole('link', { name: 'Go and pay' }).click()
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await expect(page.getByText('The money is in your balance.')).toBeVisible()
    await expect(page.getByText('Available balance now')).toContainText('¥25.50')
    await page.goBack()
    await page.goForward()
    await expect(page.getByText('Available balance now'), 'looked at again, nothing is paid twice').toContainText('¥25.50')
  })

  await test.step('another tab learns that it was paid', async () => {
    const begun = await apiUser.call<{ no: number; pay_page: { url: string } }>('POST', '/user/wallet/recharge', { amount: '4.50', gateway: 'sandbox' })
    await page.goto(`/user/wallet/recharge/new?id=${begun.no}`)
    await expect(page.getByText('Waiting for your payment')).toBeVisible()
    await fetch(begun.pay_page.url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' })
    await expect(page.getByText('Available balance now')).toContainText('¥30.00')
  })

  await test.step('a cd-key brings money', async () => {
    const [, line] = (await service.server.command('cdkey', 'make', '--amount', '10.00')).split('\n')
    const key = line?.split(',')[0] ?? ''
    await page.goto('/user/wallet/recharge/cd-key')
    await page.getByLabel('Cd-key').fill(key.toLowerCase().replaceAll('-', ' '))
    await page.keyboard.press('Enter')
    await expect(page.getByText('Redeemed: ¥10.00 of balance')).toBeVisible()
    await expect(page.getByRole('cell', { name: `${key.slice(0, 5)}…` })).toBeVisible()
    await page.getByRole('link', { name: 'See wallet' }).click()
    await expect(page.getByRole('region', { name: 'Available balance' })).toContainText('40.00')
    await page.getByLabel('Filter by kind').selectOption('Cd-key')
    await expect(page.getByRole('cell', { name: '+¥10.00' })).toBeVisible()
    await expect(page.getByRole('cell', { name: '+¥25.50' })).toHaveCount(0)
  })

  await apiUser.buy(shopID)
  await test.step('a purchase is on the records, and has an invoice that prints on one page', async () => {
    await page.goto('/user/wallet/purchase-records-old')
    await expect(page.getByRole('row', { name: /Wallet test/ })).toContainText('¥30.00')
    await page.goto('/user/wallet/billing')
    await page.getByRole('link', { name: 'Plan · Wallet test, 1 month' }).click()
    await expect(page.getByRole('article')).toContainText(apiUser.credentials.email)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.evaluate((scheme) => localStorage.setItem('color-scheme', scheme), colorScheme)
      await page.reload()
      await expect(page.getByRole('article')).toContainText(apiUser.credentials.email)
      const { pages, text } = await printed(page)
      expect(pages, colorScheme).toBe(1)
      for (const part of [/Invoice #\d+/, 'Plan · Wallet test, 1 month', 'Total', '¥30.00', apiUser.credentials.email, service.server.url]) {
        expect(text, colorScheme).toMatch(part)
      }
      for (const part of ['Dashboard', 'Sign out', 'Print or save']) expect(text, colorScheme).not.toContain(part)
      await page.emulateMedia({ media: 'print' })
      expect(await colours(page), 'black on white').toEqual({ text: 'rgb(0, 0, 0)', paper: 'rgb(255, 255, 255)' })
      await page.emulateMedia({ media: null })
    }
  })
})

test.describe('an unknown invoice', () => {
  test.use({ allowedErrors: /status of 4/ })
  test('shows the not-found page', async ({ page, service }) => {
    await signIn(page, service.demo.user)
    await page.goto('/user/wallet/billing/view-invoice/999999999')
    await expect(page.getByText('There is no such invoice in your account.')).toBeVisible()
    await page.getByRole('link', { name: 'All invoices' }).click()
    await expect(page).toHaveURL(/\/user\/wallet\/billing/)
  })
})

/** Returns the page as the browser prints it. */
async function printed(page: Page): Promise<{ pages: number; text: string }> {
  const pdf = await getDocumentProxy(new Uint8Array(await page.pdf({ preferCSSPageSize: true, printBackground: true })))
  const { totalPages, text } = await extractText(pdf, { mergePages: true })
  return { pages: totalPages, text: text.replaceAll(/\s+/g, ' ') }
}

const colours = (page: Page) =>
  page.evaluate(() => {
    const sheet = document.querySelector('article')
    return sheet ? { text: getComputedStyle(sheet).color, paper: getComputedStyle(sheet).backgroundColor } : undefined
  })
