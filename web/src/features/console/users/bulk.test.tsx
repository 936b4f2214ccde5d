import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { BulkJob } from '@/lib/api/gen/staff/types.gen'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'
import { staffUser } from './staff-user.fixture'

const sent = vi.fn<(path: string, body: unknown) => void>()

const job = (change: Partial<BulkJob> = {}): BulkJob => ({
  id: 4,
  kind: 'label',
  bytes: 0,
  name: '',
  days: 0,
  amount: '0.00',
  label: 'vip',
  reason: 'An outage',
  filter: '',
  state: 'frozen',
  rows: 1,
  done: 0,
  failed: 0,
  worth: '0.00',
  created_at: new Date().toISOString(),
  started_at: null,
  ended_at: null,
  ...change,
})

let present: BulkJob

beforeEach(() => {
  sent.mockClear()
  present = job()
  server.use(
    ...asStaff('user.read', 'user.bulk', 'user.label'),
    http.get('*/api/v2/staff/users/count', () => success({ rows: 1, approximate: false })),
    http.get('*/api/v2/staff/users', () => success({ rows: [staffUser()], next_cursor: '' })),
    http.post('*/api/v2/staff/bulk-jobs', async ({ request }) => {
      sent('make', await request.json())
      return success({ job: present, examples: [{ id: 9, email: 'lin@example.com' }] })
    }),
    http.post('*/api/v2/staff/bulk-jobs/4/:act', ({ params }) => {
      sent(String(params.act), null)
      present = job({ state: params.act === 'stop' ? 'stopped' : 'running' })
      return success(present)
    }),
    http.get('*/api/v2/staff/bulk-jobs', () => success({ jobs: [present], total_count: 1 })),
    http.get('*/api/v2/staff/bulk-jobs/4', () => success(present)),
    http.get('*/api/v2/staff/bulk-jobs/4/rows', () =>
      success([
        {
          user: { id: 9, email: 'lin@example.com' },
          state: 'failed',
          error: 'nope',
          ended_at: null,
        },
      ]),
    ),
  )
})

async function label(user: Awaited<ReturnType<typeof openSignedIn>>['user'], button: string) {
  await user.click(await screen.findByRole('button', { name: button }))
  await user.click(await screen.findByRole('menuitem', { name: 'Put a label on', hidden: true }))
  const dialog = await screen.findByRole('dialog', { name: 'Put a label on' })
  await user.type(await within(dialog).findByRole('textbox', { name: /^Label/ }), 'vip')
  await user.type(within(dialog).getByRole('textbox', { name: /^Reason/ }), 'An outage')
  await user.click(within(dialog).getByRole('button', { name: 'Count users' }))
  return dialog
}

describe('bulk actions', () => {
  it('name exactly whom they are for before they begin, and show the job', async () => {
    const { router, user } = await openSignedIn('/admin/users')
    await user.click(await screen.findByRole('checkbox', { name: 'Choose lin@example.com' }))
    expect(screen.getByText('1 chosen')).toBeVisible()
    const dialog = await label(user, 'With the chosen')
    expect(await within(dialog).findByText(/exactly 1 user/)).toBeVisible()
    expect(within(dialog).getByText(/lin@example\.com/)).toBeVisible()
    expect(sent).toHaveBeenCalledExactlyOnceWith('make', {
      kind: 'label',
      reason: 'An outage',
      details: { label: 'vip' },
      ids: [9],
    })
    await user.click(within(dialog).getByRole('button', { name: 'Begin' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/bulk-jobs/4'))
    expect(await screen.findByText('nope')).toBeVisible()
  })

  it('freeze the choice once more where the answer to an earlier try was lost', async () => {
    const keys: (string | null)[] = []
    server.use(
      http.post('*/api/v2/staff/bulk-jobs', ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'))
        if (keys.length === 1) return HttpResponse.error()
        if (keys.length === 2) return failure(409, { message: 'Seen', code: 'already_received' })
        return success({ job: present, examples: [{ id: 9, email: 'lin@example.com' }] })
      }),
    )
    const { user } = await openSignedIn('/admin/users')
    await user.click(await screen.findByRole('checkbox', { name: 'Choose lin@example.com' }))
    const dialog = await label(user, 'With the chosen')
    expect(await within(dialog).findByText(/^No answer came/)).toBeVisible()
    await user.click(within(dialog).getByRole('button', { name: 'Count users' }))
    expect(await within(dialog).findByText(/exactly 1 user/)).toBeVisible()
    expect(screen.queryByText('Seen')).toBeNull()
    expect(keys[1]).toBe(keys[0])
    expect(keys[2]).not.toBe(keys[0])
  })

  it('on all that match send the filter, and ask for the count of many to be typed', async () => {
    present = job({ rows: 5000, worth: null })
    const { user } = await openSignedIn('/admin/users?state=expired')
    const dialog = await label(user, 'With all that match')
    expect(await within(dialog).findByText(/exactly 5,000 users/)).toBeVisible()
    expect(sent.mock.calls[0]?.[1]).toMatchObject({ filter: 'state=expired' })
    const begin = within(dialog).getByRole('button', { name: 'Begin' })
    expect(begin).toBeDisabled()
    await user.type(within(dialog).getByRole('textbox', { name: 'Type 5000 to confirm' }), '5000')
    expect(begin).toBeEnabled()
  })

  it('are stopped from the list of jobs', async () => {
    present = job({ state: 'running', rows: 10, done: 4 })
    const { user } = await openSignedIn('/admin/bulk-jobs')
    expect(await screen.findByText('4 of 10')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Actions for #4' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Stop', hidden: true }))
    const dialog = await screen.findByRole('dialog', { name: 'Stop' })
    await user.click(await within(dialog).findByRole('button', { name: 'Stop' }))
    await waitFor(() => expect(sent).toHaveBeenCalledWith('stop', null))
  })
})
