import { chromium } from '@playwright/test'
import lighthouse from 'lighthouse'
import { freePort } from '../harness/ports.ts'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

const open = ['/auth/sign-in', '/auth/sign-up', '/auth/forgot-password', '/about']

test('Lighthouse gives open pages and the dashboard 100 for accessibility', async ({ service, launchOptions }, info) => {
  const port = await freePort()
  const browser = await chromium.launchPersistentContext(info.outputPath('profile'), {
    ...launchOptions, baseURL: service.server.url, locale: 'en-US', args: [`--remote-debugging-port=${port}`],
  })
  const score = async (path: string) => {
    const result = await lighthouse(service.server.url + path, { port, onlyCategories: ['accessibility'], disableStorageReset: true, disableFullPageScreenshot: true, logLevel: 'error' })
    const report = result?.lhr
    const weak = Object.values(report?.audits ?? {}).filter((audit) => audit.score !== null && audit.score < 1)
    expect(new URL(report?.finalDisplayedUrl ?? '').pathname).toBe(path)
    expect(report?.categories.accessibility?.score, `${path}: ${weak.map(({ id }) => id).join(', ')}`).toBe(1)
  }
  try {
    for (const path of open) await test.step(path, () => score(path))
    await signIn(await browser.newPage(), service.demo.user)
    await test.step('/user/dashboard', () => score('/user/dashboard'))
  } finally {
    await browser.close()
  }
})
