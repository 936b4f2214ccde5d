import { expect, test } from '../harness/test.ts'

test('the sign-in page is light', async ({ page }) => {
  await page.goto('/auth/sign-in', { waitUntil: 'networkidle' })
  const files = await page.evaluate(() => {
    const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    return entries.map(({ name, encodedBodySize }) => ({ path: new URL(name).pathname, size: encodedBodySize }))
  })
  const size = (kind: string) => files.filter(({ path }) => path.endsWith(kind)).reduce((sum, file) => sum + file.size, 0)
  expect(size('.js')).toBeGreaterThan(0)
  expect(size('.js')).toBeLessThanOrEqual(200_000)
  expect(size('.css')).toBeLessThanOrEqual(20_000)
})

test('the content policy allows no inline script or style and no eval', async ({ page }) => {
  const answer = await page.goto('/auth/sign-in')
  const policy = (await answer?.headerValue('content-security-policy')) ?? ''
  expect(policy).toContain("default-src 'self'")
  expect(policy).not.toContain('unsafe')
  expect(policy).not.toContain('*')
})

test.describe('a violation of the content policy', () => {
  test.use({ allowedErrors: /Content Security Policy/ })
  test('fails the other tests', async ({ page }) => {
    await page.goto('/auth/sign-in')
    const message = page.waitForEvent('console', (message) => message.type() === 'error')
    await page.evaluate(() => {
      document.body.append(Object.assign(document.createElement('style'), { textContent: 'h1 { display: none }' }))
    })
    expect((await message).text()).toContain('Content Security Policy')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  })
})
