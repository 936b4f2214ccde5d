import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { pages } from '../harness/pages.ts'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const { open, user } = pages()

test('the list of pages is complete enough to mean something', () => {
  expect(open).toContain('/auth/sign-in')
  expect(user).toContain('/user/dashboard')
})

for (const scheme of ['light', 'dark']) {
  for (const width of [390, 1280]) {
    test.describe(`${scheme}, ${width} px`, () => {
      test.use({ viewport: { width, height: 844 } })
      test.beforeEach(async ({ page }) => {
        await page.addInitScript((value) => localStorage.setItem('color-scheme', value), scheme)
      })

      test('open pages', async ({ page }) => {
        await violateNothing(page, [...open, '/no-such-page'])
      })

      test.describe('a sign-in that fails', () => {
        test.use({ tolerated: /status of 4/ })
        test('its messages', async ({ page }) => {
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

      test('pages of a user', async ({ page, station }) => {
        await signIn(page, station.demo.user)
        await violateNothing(page, [...user, '/user/no-such-page'])
        await page.goto('/user/dashboard')
        for (const name of ['QR code', 'Other clients', ...(width < 1280 ? ['Open menu'] : ['Account menu', 'Search'])]) {
          await page.getByRole('button', { name: new RegExp(`^${name}`) }).click()
          await expect(page.locator('[role=dialog], [role=menu]')).toBeVisible()
          await violatesNothing(page, name)
          await page.keyboard.press('Escape')
          await expect(page.locator('[role=dialog], [role=menu]')).toHaveCount(0)
        }
      })
    })
  }
}

async function violateNothing(page: Page, paths: string[]): Promise<void> {
  for (const path of paths) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await violatesNothing(page, path)
  }
}

async function violatesNothing(page: Page, what: string): Promise<void> {
  await settled(page)
  const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze()
  const found = violations.map(({ id, nodes }) => ({ id, where: nodes.map(({ target }) => target.join(' ')) }))
  expect.soft(found, what).toEqual([])
}

/** Waits until data has come and nothing moves. */
async function settled(page: Page): Promise<void> {
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity)
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
}
