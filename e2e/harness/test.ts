import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, expect, type Page } from '@playwright/test'
import { Station, type Database } from './station.ts'

export { expect }

type PerTest = { tolerated: RegExp; logs: void }
type PerWorker = { database: Database; station: Station }

/** Tests have a station, and a page that fails the test for anything that a user's browser would complain about. */
export const test = base.extend<PerTest, PerWorker>({
  database: ['sqlite', { scope: 'worker', option: true }],
  station: [async ({ database }, use) => {
    const station = await Station.start(database)
    await use(station)
    await station.stop()
  }, { scope: 'worker', timeout: 180_000 }],

  baseURL: async ({ station }, use) => use(station.server.url),

  /** What the browser may complain of, where a test provokes it. */
  tolerated: [/^$/, { option: true }],

  page: async ({ page, station, tolerated }, use) => {
    const complaints = listen(page, station.server.url)
    await use(page)
    expect(complaints.filter((complaint) => !tolerated.test(complaint)), 'complaints of the browser').toEqual([])
  },

  // The programs' logs, beside the screenshot of a test that failed.
  logs: [async ({ station }, use, info) => {
    await use()
    if (info.status === info.expectedStatus) return
    for (const file of readdirSync(station.folder)) {
      if (file.endsWith('.log')) cpSync(join(station.folder, file), info.outputPath(file))
    }
  }, { auto: true }],
})

/** Errors in scripts and on the console, which is where violations of the content policy show too, and requests to strangers. */
function listen(page: Page, site: string): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.origin !== site) complaints.push(`request to ${url.href}`)
  })
  return complaints
}
