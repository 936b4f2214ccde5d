import { expect, type Page } from '@playwright/test'

/** The narrowest screen, which a page of 1280 px is as wide as at a zoom of 400 %. */
const narrowest = { width: 320, height: 640 }

/**
 * Checks that a page cannot be scrolled sideways on the narrowest screen, and that nothing is cut off at the right, nor
 * a label of a button below, nor a placeholder.
 */
export async function fits(page: Page, what: string): Promise<void> {
  await page.setViewportSize(narrowest)
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  // A chart follows the width of the window some frames later.
  await expect.configure({ soft: true }).poll(() => page.evaluate(beyond), `${what}, 320 px: what exceeds the window`).toEqual([])
  expect.soft(await page.evaluate(cutLabels), `${what}, 320 px: labels that are cut`).toEqual([])
  expect.soft(await page.evaluate(cutPlaceholders), `${what}, 320 px: placeholders that are cut`).toEqual([])
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
