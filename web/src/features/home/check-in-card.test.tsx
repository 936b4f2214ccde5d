import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { CheckInResult } from '@/lib/api/gen/types.gen'
import { checkIn, dashboard, link, MB } from '@/test/fixtures'
import { LocalWorker } from '@/test/local-worker'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

vi.mock('@/ui/charts/area-chart', () => ({ AreaChart: () => null }))

const path = '*/api/v2/user/services-old/checkin'

const given = {
  date: '2026-11-23',
  bytes: 317 * MB,
  streak: 3,
  is_bonus: false,
  expires_at: '2026-11-30T16:00:00Z',
}

const doneStatus = checkIn({
  state: 'done',
  streak: 3,
  days: [...checkIn().days, { date: '2026-11-23', bytes: 317 * MB, streak: 3 }],
})

const card = () => screen.findByRole('region', { name: 'Daily check-in' })

let status: CheckInResult

beforeEach(() => {
  status = checkIn()
  server.use(
    http.get('*/api/v2/user/dashboard', () => success(dashboard())),
    http.get('*/api/v2/user/services/link-token/link-token', () => success(link())),
    http.get('*/api/v2/user/services/clients', () => success([])),
    http.get('*/api/v2/user/services/nodes', () =>
      success({ total_nodes: 0, user_tier: '', available_nodes: [] }),
    ),
    http.get('*/api/v2/user/services/subscribe-log/area-time-axis', () => success([])),
    http.get(path, () => success(status)),
  )
})

describe('the check-in', () => {
  it('gives traffic, says how much and until when, and is done for today', async () => {
    server.use(
      http.post(path, () => {
        status = doneStatus
        return success(given)
      }),
    )
    const { user } = await openSignedIn('/user/dashboard')
    const view = within(await card())
    expect(await view.findByText(/2 days in a row · 5 more days give 500 MB/)).toBeVisible()
    await user.click(view.getByRole('button', { name: 'Check in' }))
    expect(await view.findByRole('status')).toHaveTextContent(/\+317MB.*good until Nov 30/)
    expect(await view.findByText(/3 days in a row/)).toBeVisible()
    expect(view.queryByRole('button', { name: 'Check in' })).toBeNull()
  })

  it('that another tab has made is shown as done, not as a mistake', async () => {
    server.use(
      http.post(path, () => {
        status = doneStatus
        return failure(409, { message: 'You have checked in today', code: 'checkin_done' })
      }),
    )
    const { user } = await openSignedIn('/user/dashboard')
    const view = within(await card())
    await user.click(await view.findByRole('button', { name: 'Check in' }))
    expect(await view.findByText('Checked in today: 317 MB')).toBeVisible()
    expect(view.queryByRole('alert')).toBeNull()
  })

  it('whose answer was lost is shown as done when it was made', async () => {
    server.use(
      http.post(path, () => {
        status = doneStatus
        return HttpResponse.error()
      }),
    )
    const { user } = await openSignedIn('/user/dashboard')
    const view = within(await card())
    await user.click(await view.findByRole('button', { name: 'Check in' }))
    expect(await view.findByText('Checked in today: 317 MB')).toBeVisible()
    expect(view.queryByRole('alert')).toBeNull()
  })

  it('whose answer was lost can be made again, and says that this is safe', async () => {
    server.use(http.post(path, () => HttpResponse.error()))
    const { user } = await openSignedIn('/user/dashboard')
    const view = within(await card())
    await user.click(await view.findByRole('button', { name: 'Check in' }))
    expect(await view.findByRole('alert')).toHaveTextContent('It is safe to try again')
    expect(view.getByRole('button', { name: 'Check in' })).toBeEnabled()
  })

  it('opens again when the next day of the site begins', async () => {
    status = { ...doneStatus, next_at: new Date(Date.now() + 200).toISOString() }
    await openSignedIn('/user/dashboard')
    const view = within(await card())
    expect(await view.findByText('Checked in today: 317 MB')).toBeVisible()
    status = checkIn({ today: '2026-11-24', streak: 3 })
    expect(await view.findByRole('button', { name: 'Check in' }, { timeout: 4_000 })).toBeVisible()
  })

  it('solves a captcha first where one is asked for', async () => {
    vi.stubGlobal('Worker', LocalWorker)
    const sent: unknown[] = []
    server.use(
      http.get('*/api/v2/captcha-key-v2', () =>
        success({
          id: '0193e0a4-7c5b-7000-8000-00000000000a',
          cap_challenge_count: 2,
          cap_difficulty: 1,
        }),
      ),
      http.post('*/api/v2/captcha-key-v2-verify', () =>
        success({ verify_token: 'solved', expires_at: '' }),
      ),
      http.post(path, async ({ request }) => {
        const body = (await request.json()) as { verify_token?: string }
        sent.push(body)
        if (body.verify_token !== 'solved')
          return failure(403, {
            message: 'Please complete the captcha first',
            code: 'captcha_required',
            details: { captcha_key_type: 'checkin', provider: 'pow', site_key: '' },
          })
        status = doneStatus
        return success(given)
      }),
    )
    const { user } = await openSignedIn('/user/dashboard')
    const view = within(await card())
    await user.click(await view.findByRole('button', { name: 'Check in' }))
    await waitFor(() => expect(view.getByRole('status')).toHaveTextContent('+317MB'))
    expect(sent).toEqual([{}, { verify_token: 'solved' }])
  })

  it.each([
    ['today gives 500 MB', { streak: 6 }],
    ['100 MB to 500 MB of traffic each day', { streak: 0 }],
    ['With a running plan you get some traffic', { state: 'not_eligible' }],
  ] as const)('says "%s"', async (text, change) => {
    status = checkIn(change)
    await openSignedIn('/user/dashboard')
    expect(await within(await card()).findByText(new RegExp(text))).toBeVisible()
  })

  it('is not there on a site without one', async () => {
    status = checkIn({ state: 'off' })
    await openSignedIn('/user/dashboard')
    await screen.findByRole('region', { name: 'Nodes' })
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Daily check-in' })).toBeNull())
  })

  it('shows its days in a calendar', async () => {
    const asked: (string | null)[] = []
    server.use(
      http.get(path, ({ request }) => {
        const month = new URL(request.url).searchParams.get('month')
        asked.push(month)
        return success(month === '2026-10' ? checkIn({ days: [] }) : status)
      }),
    )
    const { user } = await openSignedIn('/user/dashboard')
    await user.click(await within(await card()).findByRole('button', { name: 'Calendar' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Calendar' }))
    expect(await dialog.findByRole('table', { name: 'November 2026' })).toBeVisible()
    expect(dialog.getByText('2 days, 420 MB in all')).toBeVisible()
    expect(dialog.getByRole('cell', { name: /22.*300 MB/ })).toBeVisible()
    expect(dialog.getByRole('button', { name: 'Next month' })).toBeDisabled()
    await user.click(dialog.getByRole('button', { name: 'Previous month' }))
    expect(await dialog.findByText('No check-ins in this month.')).toBeVisible()
    expect(asked).toContain('2026-10')
  })
})
