import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { MailItem, QueuedJob, SystemFacts, TimedJob } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const timed = (change: Partial<TimedJob>): TimedJob => ({
  name: 'payment.check',
  purpose: 'Asks payment gateways',
  period_seconds: 30,
  next_at: inDays(1),
  last_at: inDays(-1),
  failed_at: null,
  error: '',
  failures: 0,
  recovered_at: null,
  ...change,
})

const failed: QueuedJob = {
  id: 4,
  kind: 'mail.send',
  state: 'failed',
  run_at: inDays(-1),
  attempts: 12,
  last_error: 'refused',
  created_at: inDays(-1),
  ended_at: inDays(-1),
}

const mail: MailItem = {
  mail_id: 9,
  recipient: 'eve@example.com',
  kind: 'forgot_password',
  lang: 'en',
  state: 'failed',
  tries: 3,
  last_error: 'no such mailbox',
  created_at: inDays(-1),
  expires_at: inDays(1),
  ended_at: inDays(-1),
}

const facts: SystemFacts = {
  version: '3.1',
  go_version: 'go1.30',
  started_at: inDays(-1),
  database: 'sqlite',
  database_bytes: 4096,
  database_daily_bytes: 3 * 1024 ** 2,
  traffic_log_bytes: 2048,
  traffic_log_daily_bytes: null,
  schema_version: 7,
  is_writable: true,
  is_clock_right: true,
  disk_total_bytes: 2e9,
  disk_free_bytes: 1e9,
  disk_days_left: 12,
  has_click_house: true,
  is_click_house_up: false,
  click_house_waiting_days: 3,
  click_house_differing_days: 0,
  doctor_at: inDays(-1),
  doctor_broken_places: 2,
}

const called = vi.fn<(path: string) => void>()

beforeEach(() => {
  called.mockClear()
  const note = ({ request }: { request: Request }) => {
    called(new URL(request.url).pathname)
    return success({})
  }
  server.use(
    ...asStaff('job.read', 'job.manage', 'mail.read', 'mail.retry', 'system.read'),
    http.get('*/api/v2/staff/jobs/timetable', () =>
      success([
        timed({}),
        timed({ name: 'loki.export', failed_at: inDays(-1), error: 'away', failures: 5 }),
      ]),
    ),
    http.get('*/api/v2/staff/jobs', () => success({ jobs: [failed], total_count: 1 })),
    http.get('*/api/v2/staff/mails', () =>
      success({ mails: [mail], total_count: 1, page: 1, size: 50 }),
    ),
    http.get('*/api/v2/staff/system', () => success(facts)),
    http.get('*/api/v2/staff/signing-key', () =>
      success({
        keys: [
          { key_id: 'aaaa1111', created_at: inDays(-3), honoured_until: null },
          { key_id: 'bbbb2222', created_at: inDays(-90), honoured_until: inDays(27) },
        ],
      }),
    ),
    http.post('*/api/v2/staff/jobs/*', note),
    http.post('*/api/v2/staff/mails/*', note),
  )
})

describe('the pages of the system', () => {
  it.each([
    ['/admin/jobs', 'Jobs', 'loki.export', 'Run now', '/jobs/timetable/loki.export/run'],
    ['/admin/jobs/queue', 'Queue', '#4', 'Retry', '/jobs/4/retry'],
    ['/admin/mails', 'Mail', 'eve@example.com', 'Send again', '/mails/9/retry'],
  ])('%s lists what went wrong, and does it again', async (path, title, row, act, call) => {
    const { user } = await openSignedIn(path)
    const table = await screen.findByRole('table', { name: title })
    expect(within(table).getByText(/away|refused|no such mailbox/)).toBeVisible()
    await user.click(await screen.findByRole('button', { name: `Actions for ${row}` }))
    await user.click(await screen.findByRole('menuitem', { name: act, hidden: true }))
    const dialog = await screen.findByRole('dialog', { name: act })
    await user.click(await within(dialog).findByRole('button', { name: act }))
    await waitFor(() => expect(called).toHaveBeenCalledWith(`/api/v2/staff${call}`))
  })

  it('/admin/jobs says what each job does, beside its name', async () => {
    await openSignedIn('/admin/jobs')
    const row = await screen.findByRole('row', { name: /payment\.check/ })
    expect(row).toHaveTextContent('Asks payment gateways')
  })

  it('/admin/system says what is in trouble', async () => {
    await openSignedIn('/admin/system')
    const health = await screen.findByRole('region', { name: 'Health' })
    expect(health).toHaveTextContent('2 places are wrong')
    expect(screen.getByRole('region', { name: 'ClickHouse' })).toHaveTextContent('In trouble')
    const storage = screen.getByRole('region', { name: 'Storage' })
    expect(storage).toHaveTextContent('3 MB more a day')
    expect(storage).toHaveTextContent('In 12 days')
  })

  it('/admin/system checks the database at once, and shows what was found', async () => {
    let present = facts
    server.use(
      http.get('*/api/v2/staff/system', () => success(present)),
      http.post('*/api/v2/staff/jobs/timetable/doctor/run', ({ request }) => {
        called(new URL(request.url).pathname)
        return success({})
      }),
    )
    const { user } = await openSignedIn('/admin/system')
    const health = await screen.findByRole('region', { name: 'Health' })
    await user.click(await within(health).findByRole('button', { name: 'Check now' }))
    const dialog = await screen.findByRole('dialog', { name: 'Check now' })
    await user.click(await within(dialog).findByRole('button', { name: 'Check now' }))
    expect(await screen.findByText('The check begins in a moment.')).toBeVisible()
    expect(within(health).getByText(/Being checked/)).toBeVisible()
    expect(called).toHaveBeenCalledWith('/api/v2/staff/jobs/timetable/doctor/run')
    expect(health).not.toHaveTextContent('2 places are wrong')
    present = { ...facts, doctor_at: inDays(0), doctor_broken_places: 0 }
    expect(
      await within(health).findByText(/0 places are wrong/, {}, { timeout: 5000 }),
    ).toBeVisible()
    expect(within(health).getByRole('button', { name: 'Check now' })).toBeVisible()
  })

  it('/admin/system offers no check to who may not run jobs', async () => {
    server.use(...asStaff('system.read'))
    await openSignedIn('/admin/system')
    const health = await screen.findByRole('region', { name: 'Health' })
    expect(health).toHaveTextContent('2 places are wrong')
    expect(within(health).queryByRole('button', { name: 'Check now' })).toBeNull()
  })

  it.each([
    ['New key', /nobody is signed out/, { revoke: false }],
    [
      'New key, revoke all former ones',
      /Everybody signs in again.*and you/,
      { revoke: true, reason: 'it leaked' },
    ],
  ])('/admin/system replaces the signing key: %s', async (action, effect, body) => {
    const rotated = vi.fn<(body: unknown) => void>()
    server.use(
      ...asStaff('system.read', 'signing_key.rotate'),
      http.post('*/api/v2/staff/signing-key/rotate', async ({ request }) => {
        rotated(await request.json())
        return success({ keys: [] })
      }),
    )
    const { user } = await openSignedIn('/admin/system')
    const section = within(await screen.findByRole('region', { name: 'Signing key' }))
    expect(await section.findByText('aaaa1111')).toBeVisible()
    expect(section.getByText('bbbb2222')).toBeVisible()
    await user.click(section.getByRole('button', { name: action }))
    const dialog = within(await screen.findByRole('dialog', { name: action }))
    expect(await dialog.findByText(effect)).toBeVisible()
    const reason = dialog.queryByRole('textbox', { name: /^Reason/ })
    if (reason) await user.type(reason, 'it leaked')
    await user.click(dialog.getByRole('button', { name: action }))
    await waitFor(() => expect(rotated).toHaveBeenCalledWith(body))
  })

  it('/admin/system shows the signing key, and replaces it for owners alone', async () => {
    server.use(...asStaff('system.read'))
    await openSignedIn('/admin/system')
    const section = within(await screen.findByRole('region', { name: 'Signing key' }))
    expect(await section.findByText('aaaa1111')).toBeVisible()
    expect(section.queryByRole('button')).toBeNull()
  })
})
