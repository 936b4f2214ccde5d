import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, expect, type Page } from '@playwright/test'
import { TestService, type Database } from './test-service.ts'

export { expect }

type PerTest = { allowedErrors: RegExp; logs: void }
type PerWorker = { database: Database; service: TestService }

/** Tests have a service, and a page that fails the test for every error that the browser reports. */
export const test = base.extend<PerTest, PerWorker>({
  database: ['sqlite', { scope: 'worker', option: true }],
  service: [async ({ database }, use) => {
    const service = await TestService.start(database)
    await use(service)
    await service.stop()
  }, { scope: 'worker', timeout: 180_000 }],

  baseURL: async ({ service }, use) => use(service.server.url),

  /** Browser errors that a test expects. */
  allowedErrors: [/^$/, { option: true }],

  page: async ({ page, service, allowedErrors }, use) => {
    const browserErrors = await errorsOf(page, service.server.url)
    await use(page)
    expect(browserErrors.filter((message) => !allowedErrors.test(message)), 'errors of the browser').toEqual([])
  },

  // The logs of the programs are stored next to the screenshot of a failed test.
  logs: [async ({ service }, use, info) => {
    await use()
    if (info.status === info.expectedStatus) return
    for (const file of readdirSync(service.folder)) {
      if (file.endsWith('.log')) cpSync(join(service.folder, file), info.outputPath(file))
    }
  }, { auto: true }],
})

/** Collects script errors, console errors (including violations of the content policy), and requests to other sites. */
export async function errorsOf(page: Page, site: string): Promise<string[]> {
  const browserErrors: string[] = []
  page.on('pageerror', (error) => browserErrors.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') browserErrors.push(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.origin !== site) browserErrors.push(`request to ${url.href}`)
  })
  // Browsers report violations to the page, those of Trusted Types too, and say which text it was.
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
      console.error('refused by the Content Security Policy:', effectiveDirective, blockedURI, sample))
  })
  return browserErrors
}
