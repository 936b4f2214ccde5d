import { defineConfig } from '@playwright/test'
import { headlessShell } from './harness/browsers.ts'
import type { Database } from './harness/test-service.ts'

export default defineConfig<object, { database: Database }>({
  testDir: 'tests',
  outputDir: 'test-results',
  workers: 2,
  retries: 0,
  forbidOnly: true,
  // Bounds for what hangs, not for what is slow: other work may share the machine.
  timeout: 180_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  projects: [
    { name: 'sqlite', use: { database: 'sqlite' } },
    { name: 'postgres', use: { database: 'postgres' }, testMatch: process.env.AIRSTRIP_FULL ? /(journey|accounting|lease)\.spec\.ts/ : 'journey.spec.ts' },
  ],
  use: {
    browserName: 'chromium',
    locale: 'en-US',
    timezoneId: 'Asia/Shanghai',
    viewport: { width: 1280, height: 800 },
    launchOptions: { executablePath: headlessShell },
    screenshot: 'only-on-failure',
    // Steps, requests and messages. Pictures of each step, which `--trace on` records, would nearly double the time.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false },
  },
})
