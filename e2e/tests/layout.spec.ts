import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

const forms = ['/settings', '/user/account/edit-profile', '/user/account/edit-email', '/user/account/edit-password', '/user/account/close', '/user/wallet/recharge/new', '/user/wallet/recharge/cd-key']
const lists = ['/user/wallet', '/user/wallet/billing', '/user/wallet/purchase-records-old', '/user/wallet/recharge', '/user/account/activity', '/user/account/login-ip-log']
const oneLine = 40 // Height in px of a row with a single line of text.

test.beforeEach(({ page, service }) => signIn(page, service.demo.user))

test('every form is as wide as the others', async ({ page }) => {
  for (const path of forms) {
    await page.goto(path)
    const column = page.locator('[data-form-column]').first()
    await expect(column.locator('input:visible').first(), path).toBeVisible()
    expect((await column.boundingBox())?.width, path).toBe(512)
    await expect(page.locator('main form:not([data-form-column] form)'), path).toHaveCount(0)
  }
})

test('lists are tables of one line a row on wide screens, and cards on phones', async ({ page }) => {
  for (const path of lists) {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(path)
    const row = page.locator('main tbody tr').first()
    await expect(row, path).toBeVisible()
    const seen = await page.locator('main table').first().evaluate((table) => {
      const rows = [...table.querySelectorAll('tbody tr')]
      const edge = (cell: Element) => Math.round(cell.getBoundingClientRect().right)
      return {
        heights: rows.map((row) => row.getBoundingClientRect().height),
        edges: new Set([table.querySelector('thead tr')!, ...rows].map((row) => [...row.children].map(edge).join())).size,
        numbers: getComputedStyle(table).fontVariantNumeric,
      }
    })
    expect(Math.max(...seen.heights), `${path}: the tallest row`).toBeLessThanOrEqual(oneLine)
    expect(seen.edges, `${path}: rows whose columns end elsewhere`).toBe(1)
    expect(seen.numbers, path).toBe('tabular-nums')
    await page.setViewportSize({ width: 390, height: 844 })
    await expect(row, path).not.toHaveCSS('display', 'table-row')
  }
})

test('the heads of the columns of nodes stay in view below the toolbar', async ({ page }) => {
  // A low window, so that the nodes of the demo take several times its height.
  const height = 360
  await page.setViewportSize({ width: 1280, height })
  await page.goto('/user/nodes')
  const heads = page.getByRole('columnheader')
  await expect(page.locator('[data-node]').first()).toBeVisible()
  const before = (await heads.first().boundingBox())?.y ?? 0
  await page.mouse.move(640, 300)
  await page.mouse.wheel(0, 10_000)
  await expect(page.locator('[data-node]').first()).not.toBeInViewport()
  expect(await page.evaluate(() => scrollY), 'how far the page is scrolled').toBeGreaterThan(before)
  for (const name of ['Name', 'State', 'Load', 'Rate']) await expect(page.getByRole('columnheader', { name })).toBeInViewport({ ratio: 1 })
})
