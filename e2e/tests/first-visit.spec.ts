import { setTimeout as wait } from 'node:timers/promises'
import type { BrowserContext, BrowserContextOptions, Page } from '@playwright/test'
import { fits } from '../harness/fit.ts'
import { notFoundMessage, pages, particularConsolePages, particularPages } from '../harness/pages.ts'
import { errorsOf, expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

const USER_BOUNDS = { requests: 25, fitsNarrowest: true }
// The staff console has a budget of its own of 34 files (web/tools/check-bundle.ts): its shell, its parts and its lists are
// files apart from those of users, so that users load none of them. Beside these are the document and the calls of the
// API. Lists with choices of the server among their filters have the most, 41.
const CONSOLE_BOUNDS = { requests: 42, fitsNarrowest: false }
const MOST_SHIFT = 0.02
const ABREAST = 4
// Longer than a page waits for its data (web/src/app/load-page.ts), so that it is shown without.
const LATE_MS = 1_300
const SPREAD_MS = 1_500
const PHONE = { locale: 'zh-CN', viewport: { width: 390, height: 844 } } satisfies BrowserContextOptions
const LATENCY_MS = 40
// How long a page that has loaded makes no request.
const QUIET_MS = 500
// How long a page about tickets waits before it opens their stream (web: use-ticket-changes.ts).
const STREAM_MS = 1_000
const { open, user, console: ofConsole } = pages()

type Seen = { isPainted: boolean; shift: number; shifted: string[]; calls: number; lastLoad: number }
type Watched = Window & { seen: Seen }
type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: { node: Node | null }[] }

/** Runs in the page: records layout shifts without user input, and what is being loaded. */
function watch() {
  const seen: Seen = { isPainted: false, shift: 0, shifted: [], calls: 0, lastLoad: 0 }
  const { fetch } = window
  const countedFetch: typeof fetch = async (...request) => {
    seen.calls += 1
    try {
      return await fetch(...request)
    } finally {
      seen.calls -= 1
      seen.lastLoad = performance.now()
    }
  }
  Object.assign(window, { seen, fetch: countedFetch })
  new PerformanceObserver(() => {
    seen.lastLoad = performance.now()
  }).observe({ type: 'resource', buffered: true })
  new PerformanceObserver(() => {
    seen.isPainted = true
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
      if (hadRecentInput) continue
      const elements = sources.map(({ node }) => (node instanceof Element ? node : node?.parentElement))
      const moved = elements.map((element) => element?.outerHTML.slice(0, 80) ?? 'what is gone')
      seen.shift += value
      seen.shifted.push(`${value.toFixed(3)} ${moved.join(', ')}`)
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

/** Runs in the page: whether it has loaded all that it asks for. */
function hasLoaded(quietMs: number) {
  const { isPainted, calls, lastLoad } = (window as unknown as Watched).seen
  return isPainted && calls === 0 && document.readyState === 'complete' && performance.now() - lastLoad > quietMs
}

/** A first visit. */
async function visit(page: Page, address: string) {
  const answer = await page.goto(address)
  const policy = answer?.headers()['content-security-policy']
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
  // Playwright's own network idle sometimes never comes where several pages load with routes.
  await page.waitForFunction(hasLoaded, QUIET_MS)
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  const seen = await page.evaluate((streamMs) => {
    const { shift, shifted } = (window as unknown as Watched).seen
    // What is unread is asked for after five seconds at the latest, however slow the machine (web: use-after-load.ts).
    const loads = performance.getEntriesByType('resource').filter(({ name }) => !name.endsWith('/unread'))
    // Requests of the session do not count: of pages opened at the same time one renews it, and others may repeat theirs.
    const calls = loads.filter(({ name }) => name.includes('/api/v2/user/'))
    // The list of tickets is rightly asked for again once the stream of their changes is open.
    const isRepeat = (call: PerformanceEntry, first: PerformanceEntry) =>
      call.name === first.name && !(call.name.includes('/tickets-v2?') && call.startTime - first.startTime >= streamMs)
    const twice = calls.filter((call, at) => calls.slice(0, at).some((first) => isRepeat(call, first))).map(({ name }) => name)
    const files = loads.map(({ name }) => name)
    return { requests: [...new Set([location.href, ...files])], shift, shifted, twice }
  }, STREAM_MS)
  return { ...seen, policy }
}

/**
 * Visits every address, several in parallel, with a network that delays every request, and without a cache, which routing
 * turns off, and sees afterwards that it fits the narrowest screen where that is promised. Chromium's own throttling
 * sometimes loses answers of several pages, which then wait without end.
 */
async function checkAll(context: BrowserContext, site: string, addresses: readonly string[], bounds = USER_BOUNDS) {
  await context.addInitScript(watch)
  await context.route('**/*', async (route) => {
    await wait(LATENCY_MS)
    await route.fallback()
  })
  const left = [...addresses]
  await Promise.all(Array.from({ length: ABREAST }, async () => {
    const page = await context.newPage()
    const browserErrors = await errorsOf(page, site)
    for (let address = left.shift(); address; address = left.shift()) {
      const { policy, requests, shift, shifted, twice } = await visit(page, address)
      // A drawer that an address opens comes with what is below it, and has no bound.
      if (!address.includes('?')) expect.soft(requests.length, `${address}: requests\n${requests.join('\n')}`).toBeLessThanOrEqual(bounds.requests)
      expect.soft(shift, `${address}: what moved: ${shifted.join('\n')}`).toBeLessThan(MOST_SHIFT)
      expect.soft(twice, `${address}: calls made twice`).toEqual([])
      expect.soft(policy, `${address}: the policy`).toContain("require-trusted-types-for 'script'")
      if (bounds.fitsNarrowest) {
        await fits(page, address)
        await page.setViewportSize(PHONE.viewport)
      }
      const errors = browserErrors.splice(0).filter((message) => !notFoundMessage.test(message))
      expect.soft(errors, `${address}: errors of the browser`).toEqual([])
    }
  }))
  await context.unrouteAll({ behavior: 'ignoreErrors' })
}

/** Has each answer of these addresses come late, in any order where they are spread. */
async function delay(context: BrowserContext, addresses: RegExp, spreadMs = 0) {
  await context.route(addresses, async (route) => {
    await wait(LATE_MS + Math.random() * spreadMs)
    await route.continue()
  })
}

test('open pages come in few requests, stay in place, fit 320 px and violate no policy', async ({ browser, baseURL, service }) => {
  const context = await browser.newContext({ ...PHONE, baseURL })
  await checkAll(context, service.server.url, [...open, '/auth/sign-out', '/no-such-page'])
  await context.close()
})

for (const isLate of [false, true]) {
  const data = isLate ? 'late' : 'in time'
  test(`pages of users come in few requests, stay in place, fit 320 px and violate no policy, with data that is ${data}`, async ({ browser, baseURL, service }) => {
    const context = await browser.newContext({ ...PHONE, baseURL })
    const page = await context.newPage()
    await page.goto('/auth/sign-in?lang=en')
    await signIn(page, service.demo.user)
    await page.evaluate(() => localStorage.setItem('language', 'zh-CN'))
    await page.close()
    if (isLate) await delay(context, /\/api\/v2\/user\//)
    await checkAll(context, service.server.url, [...user, ...particularPages, '/user/no-such-page'])
    await context.close()
  })
}

// With late data it takes a minute and a half, so that `make stress` does it.
for (const isLate of process.env.AIRSTRIP_FULL ? [false, true] : [false]) {
  const data = isLate ? 'late' : 'in time'
  test(`pages of staff come in a bounded number of requests, stay in place and violate no policy, with data that is ${data}`, async ({ browser, baseURL, service }) => {
    const context = await browser.newContext({ ...PHONE, baseURL })
    const page = await context.newPage()
    await page.goto('/auth/sign-in?lang=en')
    await signIn(page, service.demo.admin)
    await page.evaluate(() => localStorage.setItem('language', 'zh-CN'))
    await page.close()
    if (isLate) await delay(context, /\/api\/v2\/staff\//, SPREAD_MS)
    await checkAll(context, service.server.url, [...ofConsole, ...particularConsolePages], CONSOLE_BOUNDS)
    await context.close()
  })
}
