import type { Page } from '@playwright/test'
import axe from 'axe-core'
import { Customer } from '../harness/customer.ts'
import { notedMissingPage, pages } from '../harness/pages.ts'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const schemes = ['light', 'dark'] as const
const narrow = 390
const wide = 1280
const { open, user } = pages()

test.use({ tolerated: notedMissingPage, trace: 'off' }) // of many pages it costs more than it tells

test.beforeEach(async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('color-scheme', 'auto'))
})

test('the list of pages is complete enough to mean something', () => {
  expect(open).toContain('/auth/sign-in')
  expect(user).toContain('/user/dashboard')
})

test('open pages', async ({ page }) => {
  await visit(page, [...open, '/no-such-page'])
})

test('pages of a user', async ({ page, station }) => {
  await signIn(page, station.demo.user)
  await visit(page, [...user, '/user/wallet/billing/view-invoice/1', '/user/no-such-page'])
})

test('what staff read about their role', async ({ page, station }) => {
  await signIn(page, station.demo.admin)
  await page.goto('/user/account/staff')
  await expect(page.getByText('airstrip node --help').first()).toBeVisible()
  await visit(page, ['/user/account/staff'])
})

test('a recharge from pay page to result', async ({ page, station }) => {
  const customer = await Customer.signIn(station.server.url, station.demo.user)
  const { no, pay_page } = await customer.call<{ no: number; pay_page: { url: string } }>('POST', '/user/wallet/recharge', { amount: '10', gateway: 'sandbox' })
  await signIn(page, station.demo.user)
  await visit(page, [`/user/wallet/recharge/new?id=${no}`, pay_page.url])
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await expect(page.getByRole('status').getByText('Paid')).toBeVisible()
  await violatesNothing(page, 'paid')
})

test('other ways to sign in, and the steps of what changes an account', async ({ page, station }) => {
  await visit(page, ['/auth/sign-in?with=code', '/auth/sign-in?done=closed'])
  const { credentials } = await Customer.signUp(station.server.url)
  await signIn(page, credentials)
  const device = await page.context().newCDPSession(page)
  await device.send('WebAuthn.enable')
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  })
  await page.goto('/user/account/security')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await violatesNothing(page, 'form of a passkey')
  await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill(credentials.password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('list', { name: 'Passkeys' }).getByRole('listitem')).toHaveCount(1)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await violatesNothing(page, 'list of passkeys')
  await page.goto('/user/account/edit-email')
  await page.getByLabel('New email').fill(`new-${credentials.email}`)
  await page.getByLabel('Current password', { exact: true }).fill(credentials.password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Change email' })).toBeVisible()
  await violatesNothing(page, 'codes of a change of address')
})

test('samples, reference and the dialogs of a new API token', async ({ page, station }) => {
  await signIn(page, station.demo.user)
  await visit(page, ['/user/developer?tab=samples', '/user/developer?tab=reference&q=recharge&op=recharge_create', '/user/developer'])
  await page.getByRole('button', { name: 'New token' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await violatesNothing(page, 'form of a token')
  await page.getByLabel('Name').fill('backup')
  await page.getByLabel('Password', { exact: true }).fill(station.demo.user.password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'I have saved it' })).toBeVisible()
  await violatesNothing(page, 'secret of a token')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('alert')).toBeVisible()
  await violatesNothing(page, 'question before closing')
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await expect(page.getByText('backup')).toBeVisible()
  await violatesNothing(page, 'list of tokens')
})

test('dialogs and menus', async ({ page, station }) => {
  await signIn(page, station.demo.user)
  const openers: [name: string, width: number][] = [
    ['QR code', narrow], ['QR code', wide], ['Other clients', narrow], ['Other clients', wide], ['Open menu', narrow], ['Account menu', wide], ['Search', wide],
  ]
  for (const [name, width] of openers) {
    await test.step(`${name}, ${width} px`, async () => {
      await page.setViewportSize({ width, height: 844 })
      await page.getByRole('button', { name: new RegExp(`^${name}`) }).click()
      await expect(page.locator('[role=dialog], [role=menu]')).toBeVisible()
      await violatesNothing(page, name, [width])
      await page.keyboard.press('Escape')
      await expect(page.locator('[role=dialog], [role=menu]')).toHaveCount(0)
    })
  }
})

test('the sheet of filters', async ({ page, station }) => {
  await signIn(page, station.demo.user)
  await page.setViewportSize({ width: narrow, height: 844 })
  await page.goto('/user/nodes?online=true')
  await page.getByRole('button', { name: 'Filters 1 active' }).click()
  await expect(page.getByRole('dialog', { name: 'Filter and sort' })).toBeVisible()
  await violatesNothing(page, 'filters', [narrow])
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Filters 1 active' })).toBeFocused()
})

test('the drawer of a node, and the list of shortcuts', async ({ page, station }) => {
  await signIn(page, station.demo.user)
  for (const width of [narrow, wide]) {
    await page.setViewportSize({ width, height: 844 })
    await page.goto('/user/nodes')
    const link = page.locator('[data-node]').first()
    await link.click()
    await expect(page.getByRole('img', { name: /^QR code of/ })).toBeVisible()
    await violatesNothing(page, 'drawer of a node', [width])
    await page.goBack()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(link).toBeFocused()
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    await violatesNothing(page, 'shortcuts', [width])
    await page.keyboard.press('Escape')
  }
})

test.describe('messages', () => {
  test.use({ tolerated: /status of 4/ })
  test('of a sign-in that fails', async ({ page }) => {
    await page.goto('/auth/sign-in')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await violatesNothing(page, 'empty fields')
    await page.getByLabel('Email').fill('nobody@example.com')
    await page.getByLabel('Password', { exact: true }).fill('wrong-password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('alert')).toBeVisible()
    await violatesNothing(page, 'wrong password')
  })
})

async function visit(page: Page, paths: string[]): Promise<void> {
  test.setTimeout(60_000 + paths.length * 20_000)
  for (const path of paths) {
    await test.step(path, async () => {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await violatesNothing(page, path)
    })
  }
}

/** Looks at what is shown in both schemes and in these widths; the page follows without being loaded again. */
async function violatesNothing(page: Page, what: string, widths = [narrow, wide]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 })
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      // The app says which scheme it shows; the sandbox's page has only the media query.
      await expect(page.locator(`html[data-mantine-color-scheme=${colorScheme}], html:not([data-mantine-color-scheme])`)).toHaveCount(1)
      await settled(page)
      expect.soft(await violations(page), `${what}, ${colorScheme}, ${width} px`).toEqual([])
    }
  }
}

/** Waits until data has come and nothing moves. */
async function settled(page: Page): Promise<void> {
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity)
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
}

/** What axe has against the page as it is shown now. Axe is brought into a page once and stays until another is loaded. */
async function violations(page: Page): Promise<{ id: string; where: string[] }[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return await page.evaluate(async (values) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') }
    const { violations } = await axe.run({ runOnly: { type: 'tag', values }, resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => ({ id, where: nodes.map(({ target }) => target.join(' ')) }))
  }, tags)
}
