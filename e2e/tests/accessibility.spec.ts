import type { Page } from '@playwright/test'
import axe from 'axe-core'
import { ApiUser } from '../harness/api-user.ts'
import { fits } from '../harness/fit.ts'
import { follow } from '../harness/follow.ts'
import { notFoundMessage, pages, particularPages } from '../harness/pages.ts'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const schemes = ['light', 'dark'] as const
const narrow = 390
const wide = 1280
type Look = [width: number, colorScheme: (typeof schemes)[number]]
const cross: [Look[], Look[]] = [[[narrow, 'light'], [wide, 'dark']], [[wide, 'light'], [narrow, 'dark']]]
const { open, user, console: ofConsole } = pages()

test.use({ allowedErrors: notFoundMessage })

test.beforeEach(async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('color-scheme', 'auto'))
})

test('the list of pages is not empty', () => {
  expect(open).toContain('/auth/sign-in')
  expect(user).toContain('/user/dashboard')
})

test('open pages', async ({ page }) => {
  await visit(page, [...open, '/no-such-page'], 'fitting')
})

test('pages of a user', async ({ page, service }) => {
  await signIn(page, service.demo.user)
  await visit(page, [...user, ...particularPages, '/user/no-such-page'], 'fitting')
})

test('the page of a staff role', async ({ page, service }) => {
  await signIn(page, service.demo.admin)
  await page.goto('/user/account/staff')
  await expect(page.getByText('airstrip node --help').first()).toBeVisible()
  await visit(page, ['/user/account/staff'])
})

test('pages of the staff console', async ({ page, service }) => {
  await signIn(page, service.demo.admin)
  await visit(page, [...ofConsole, '/admin/tickets/1'])
})

test('a recharge from the pay page to its result', async ({ page, service }) => {
  const apiUser = await ApiUser.signIn(service.server.url, service.demo.user)
  const { no, pay_page } = await apiUser.call<{ no: number; pay_page: { url: string } }>('POST', '/user/wallet/recharge', { amount: '10', gateway: 'sandbox' })
  await signIn(page, service.demo.user)
  await visit(page, [`/user/wallet/recharge/new?id=${no}`, pay_page.url])
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await expect(page.getByRole('status').getByText('Paid')).toBeVisible()
  await violatesNothing(page, 'paid')
})

test('other ways to sign in, and the steps of account changes', async ({ page, service }) => {
  await visit(page, ['/auth/sign-in?with=code', '/auth/sign-in?done=closed'])
  const { credentials } = await ApiUser.signUp(service.server.url)
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

test('samples, reference and the dialogs of a new API token', async ({ page, service }) => {
  await signIn(page, service.demo.user)
  await visit(page, ['/user/developer?tab=samples', '/user/developer?tab=reference&q=recharge&op=recharge_create', '/user/developer'])
  await page.getByRole('button', { name: 'New token' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await violatesNothing(page, 'form of a token')
  await page.getByLabel('Name').fill('backup')
  await page.getByLabel('Password', { exact: true }).fill(service.demo.user.password)
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

test('dialogs and menus', async ({ page, service }) => {
  await signIn(page, service.demo.user)
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

test('the filter sheet', async ({ page, service }) => {
  await signIn(page, service.demo.user)
  await page.setViewportSize({ width: narrow, height: 844 })
  await page.goto('/user/nodes?online=true')
  await page.getByRole('button', { name: 'Filters 1 active' }).click()
  await expect(page.getByRole('dialog', { name: 'Filter and sort' })).toBeVisible()
  await violatesNothing(page, 'filters', [narrow])
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Filters 1 active' })).toBeFocused()
})

test('the drawer of a node, and the list of shortcuts', async ({ page, service }) => {
  await signIn(page, service.demo.user)
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
  test.use({ allowedErrors: /status of 4/ })
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

/** Checks these pages, of which the first is loaded and the others followed to, and whether they fit 320 px. */
async function visit(page: Page, paths: string[], fitting: 'fitting' | '' = ''): Promise<void> {
  test.setTimeout(60_000 + paths.length * 20_000)
  for (const [at, path] of paths.entries()) {
    await test.step(path, async () => {
      const isShown = path.split('?')[0] === new URL(page.url()).pathname
      // Loaded is also what is no page of the app, and the page that is shown already, with other options.
      const isLoaded = at === 0 || isShown || !path.startsWith('/') || path.endsWith('/no-such-page')
      await (isLoaded ? page.goto(path) : follow(page, path))
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await violatesNothing(page, path)
      if (fitting) await fits(page, path)
    })
  }
}

let checks = 0

/**
 * Checks the page in these widths, without reloading it. What is checked in both widths has one colour scheme in each,
 * and the next has the other, so that what pages share is seen in all four ways, as every page is with AIRSTRIP_FULL.
 */
async function violatesNothing(page: Page, what: string, widths = [narrow, wide]): Promise<void> {
  const all = widths.flatMap((width) => schemes.map((scheme): Look => [width, scheme]))
  const looks = process.env.AIRSTRIP_FULL || widths.length === 1 ? all : cross[checks++ % 2 ? 1 : 0]
  for (const [width, colorScheme] of looks) {
    await page.setViewportSize({ width, height: 844 })
    await page.emulateMedia({ colorScheme })
    // The app marks its colour scheme; the sandbox's page uses only the media query.
    await expect(page.locator(`html[data-mantine-color-scheme=${colorScheme}], html:not([data-mantine-color-scheme])`)).toHaveCount(1)
    await settled(page)
    expect.soft(await violations(page), `${what}, ${colorScheme}, ${width} px`).toEqual([])
  }
}

/** Waits until data is loaded and nothing moves. */
async function settled(page: Page): Promise<void> {
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity)
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
}

/**
 * Returns the violations that axe finds. Axe is injected into a page once and stays until another is loaded. It loads
 * sound and films, for its rule about those, and not the style sheets, which no rule here takes.
 */
async function violations(page: Page): Promise<{ id: string; where: string[] }[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return await page.evaluate(async (values) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') }
    const { violations } = await axe.run({
      runOnly: { type: 'tag', values }, resultTypes: ['violations'], preload: { assets: ['media'], timeout: 10_000 },
    })
    return violations.map(({ id, nodes }) => ({ id, where: nodes.map(({ target }) => target.join(' ')) }))
  }, tags)
}
