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

      test('pages of a user', async ({ page, station }) => {
        await signIn(page, station.demo.user)
        await violateNothing(page, [...user, '/user/no-such-page'])
      })
    })
  }
}

async function violateNothing(page: Page, paths: string[]): Promise<void> {
  for (const path of paths) {
    await test.step(path, async () => {
      await page.goto(path)
      await settled(page)
      const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze()
      const found = violations.map(({ id, nodes }) => ({ id, where: nodes.map(({ target }) => target.join(' ')) }))
      expect.soft(found, path).toEqual([])
    })
  }
}

/** Waits until data has come and nothing moves. */
async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity)
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
}
