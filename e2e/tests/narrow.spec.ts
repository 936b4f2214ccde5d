import type { Page } from '@playwright/test'
import { pages } from '../harness/pages.ts'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

const { open, user } = pages()

// An unknown address answers 404, which the browser reports.
test.use({ trace: 'off', viewport: { width: 320, height: 640 }, allowedErrors: /status of 404/ })

for (const language of ['en', 'zh-CN']) {
  test(`open pages fit 320 px, ${language}`, async ({ page }) => {
    await speak(page, language)
    await fit(page, [...open, '/no-such-page'])
  })

  test(`pages of a user fit 320 px, ${language}`, async ({ page, service }) => {
    await signIn(page, service.demo.user)
    await speak(page, language)
    await fit(page, [...user, '/user/nodes?node=1', '/user/wallet/billing/view-invoice/1', '/user/no-such-page'])
  })
}

const speak = (page: Page, language: string) => page.addInitScript((value) => localStorage.setItem('language', value), language)

/** Checks that these pages cannot be scrolled sideways, and that nothing is cut off at the right, nor a label of a button below, nor a placeholder. */
async function fit(page: Page, paths: string[]): Promise<void> {
  test.setTimeout(60_000 + paths.length * 10_000)
  for (const path of paths) {
    await test.step(path, async () => {
      await page.goto(path)
      await expect(page.locator('h1').first()).toBeVisible()
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
      expect.soft(await page.evaluate(beyond), path).toEqual([])
      expect.soft(await page.evaluate(cutLabels), path).toEqual([])
      expect.soft(await page.evaluate(cutPlaceholders), path).toEqual([])
    })
  }
}

/** Returns what exceeds the window: the page itself, and elements outside scrollable boxes, except decoration and hidden text. */
function beyond(): string[] {
  const { scrollWidth, clientWidth } = document.documentElement
  const isHidden = (element: Element): boolean =>
    element.closest('svg, [aria-hidden=true]') !== null || getComputedStyle(element).clipPath !== 'none'
  const isApart = (element: Element): boolean => {
    const box = element.parentElement
    return isHidden(element) || (box !== null && (['auto', 'scroll'].includes(getComputedStyle(box).overflowX) || isApart(box)))
  }
  const found = [...document.querySelectorAll('body *')].filter(
    (element) => element.getBoundingClientRect().right > clientWidth + 1 && !isApart(element),
  )
  const names = found.map(({ tagName, className, textContent }) => `${tagName} ${className} ${textContent?.slice(0, 40)}`)
  return scrollWidth > clientWidth ? [`the page has ${scrollWidth} px`, ...names] : names
}

/** Labels of buttons whose letters are higher than the label. */
function cutLabels(): (string | null)[] {
  const labels = [...document.querySelectorAll('.mantine-Button-label')]
  return labels.filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight).map(({ textContent }) => textContent)
}

/** Placeholders of empty fields that are wider than their field. */
function cutPlaceholders(): string[] {
  const context = document.createElement('canvas').getContext('2d')
  const fields = [...document.querySelectorAll<HTMLInputElement>('input:placeholder-shown')]
  const isCut = (field: HTMLInputElement): boolean => {
    const { fontWeight, fontSize, fontFamily, paddingLeft, paddingRight } = getComputedStyle(field)
    if (!context) throw new Error('the browser measures no text')
    context.font = `${fontWeight} ${fontSize} ${fontFamily}`
    const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
    return field.clientWidth > 0 && context.measureText(field.placeholder).width > room
  }
  return fields.filter(isCut).map(({ placeholder }) => placeholder)
}
