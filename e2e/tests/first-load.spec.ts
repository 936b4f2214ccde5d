import { expect, test } from '../harness/test.ts'

test('the sign-in page is light', async ({ page }) => {
  await page.goto('/auth/sign-in', { waitUntil: 'networkidle' })
  const { files, painted } = await page.evaluate(async () => {
    const painted = await new Promise<number>((resolve) => {
      new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? 0)).observe({ type: 'largest-contentful-paint', buffered: true })
    })
    const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    return { painted, files: entries.map(({ name, startTime, encodedBodySize }) => ({ path: new URL(name).pathname, startTime, size: encodedBodySize })) }
  })
  const size = (kind: string) => files.filter(({ path }) => path.endsWith(kind)).reduce((sum, file) => sum + file.size, 0)
  expect(size('.js')).toBeGreaterThan(0)
  expect(size('.js')).toBeLessThanOrEqual(190_000)
  expect(size('.css')).toBeLessThanOrEqual(20_000)
  expect(1 + files.filter(({ startTime }) => startTime < painted).length, 'requests before the largest paint').toBeLessThanOrEqual(25)
})

test('the content policy allows no inline script or style and no eval', async ({ page }) => {
  const answer = await page.goto('/auth/sign-in')
  const policy = (await answer?.headerValue('content-security-policy')) ?? ''
  expect(policy).toContain("default-src 'self'")
  expect(policy).not.toContain('unsafe')
  expect(policy).not.toContain('*')
})

test.describe('a violation of the content policy', () => {
  test.use({ tolerated: /Content Security Policy/ })
  test('is what the other tests would see', async ({ page }) => {
    await page.goto('/auth/sign-in')
    const complaint = page.waitForEvent('console', (message) => message.type() === 'error')
    await page.evaluate(() => {
      document.body.append(Object.assign(document.createElement('style'), { textContent: 'h1 { display: none }' }))
    })
    expect((await complaint).text()).toContain('Content Security Policy')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  })
})
