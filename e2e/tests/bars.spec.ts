import type { Page } from '@playwright/test'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

// A phone, and a window of 1280 × 900 that is magnified four times.
const windows = [
  { width: 390, height: 844 },
  { width: 320, height: 225 },
]

const pages = { user: ['/user/tickets/new', '/user/services/buy'], admin: ['/admin/nodes/new', '/admin/traffic'] } as const

for (const viewport of windows)
  for (const who of ['user', 'admin'] as const)
    test(`no bar covers what has the focus of ${who} at ${viewport.width} × ${viewport.height}`, async ({ page, service }) => {
      await page.setViewportSize(viewport)
      await signIn(page, service.demo[who])
      for (const path of pages[who]) await visit(page, path)
    })

test.describe('what is wrong with a form', () => {
  test.use({ allowedErrors: /status of 4\d\d / })

  test('is in sight where the button is the last thing on the screen', async ({ page, service }) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/auth/sign-in')
    await page.getByLabel('Email').fill(service.demo.user.email)
    await page.getByLabel('Password', { exact: true }).fill('another one')
    const button = page.getByRole('button', { name: 'Sign in', exact: true })
    const { y, height } = (await button.boundingBox())!
    await page.setViewportSize({ width: 390, height: Math.round(y + height + 4) })
    await button.click()
    await expect(page.getByRole('alert')).toBeInViewport({ ratio: 0.95 })
  })
})

/** Goes through the page by Tab, and looks whether what gets the focus is the top element where it ends. */
async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  // What is loaded where it comes into sight moves what is below it.
  for (const share of [1, 0]) {
    await page.evaluate((share) => scrollTo({ top: share * document.body.scrollHeight, behavior: 'instant' }), share)
    await page.waitForLoadState('networkidle')
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  }
  for (let presses = 0; presses < 25; presses++) {
    await page.keyboard.press('Tab')
    await expect.poll(() => page.evaluate(coveredFocus), path).toBe('')
  }
}

/** The element that has the focus and is not in sight, or nothing. */
function coveredFocus(): string {
  const focused = document.activeElement
  if (!focused || focused === document.body) return ''
  const { left, bottom, width } = focused.getBoundingClientRect()
  const top = document.elementFromPoint(Math.max(1, left + width / 2), Math.max(1, Math.min(bottom - 3, innerHeight - 1)))
  const isSeen = width < 2 || (top !== null && (focused.contains(top) || top.contains(focused)))
  return isSeen ? '' : `${focused.outerHTML.slice(0, 100)} below ${top?.outerHTML.slice(0, 100)}`
}
