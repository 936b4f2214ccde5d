import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { describe, expect, it } from 'vitest'
import type { Overview, OverviewFigure } from '@/lib/api/gen/staff/types.gen'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const figure = (change: Partial<OverviewFigure>): OverviewFigure => ({
  key: 'orders',
  measure: 'rows',
  list: 'orders',
  query: 'paid=2026-01-01T00%3A00%3A00Z..2026-01-08T00%3A00%3A00Z&state=paid%2Crefunded',
  now: { rows: 40, amount: '400.00', bytes: 0 },
  before: { rows: 20, amount: '200.00', bytes: 0 },
  change_percent: 100,
  oldest: null,
  parts: [],
  ...change,
})

const shop = (steps: Overview['steps']): Overview => ({
  from: '2026-01-01T00:00:00Z',
  as_of: '2026-01-08T00:00:00Z',
  before: '2025-12-25T00:00:00Z',
  steps,
  days: [
    { begins_at: '2026-01-06T00:00:00Z', revenue: '10.00', moved_bytes: null, billed_bytes: null },
    { begins_at: '2026-01-07T00:00:00Z', revenue: '30.00', moved_bytes: null, billed_bytes: null },
  ],
  figures: [
    figure({}),
    figure({ key: 'revenue', measure: 'amount', list: '', change_percent: null }),
    figure({
      key: 'failed_payments',
      list: 'recharges',
      query: 'state=failed',
      now: { rows: 3, amount: '30.00', bytes: 0 },
      change_percent: null,
      parts: [{ name: 'alipay', query: 'gateway=alipay', rows: 3 }],
    }),
  ],
})

const traffic: Overview = {
  ...shop([]),
  days: [],
  figures: [
    figure({
      key: 'traffic',
      measure: 'bytes',
      list: 'statistics/traffic',
      now: { rows: 5, amount: '0.00', bytes: 3 * 1024 ** 3 },
    }),
  ],
}

const answers = (steps: Overview['steps']) =>
  http.get('*/api/v2/staff/overview', ({ request }) =>
    success(new URL(request.url).searchParams.get('part') === 'traffic' ? traffic : shop(steps)),
  )

describe('the overview', () => {
  it('shows each figure with its comparison, as a link to the list that has the same', async () => {
    server.use(...asStaff('overview.read', 'traffic.total.read', 'order.read'), answers([]))
    await openSignedIn('/admin?days=30')
    const orders = await screen.findByRole('link', { name: /Paid orders/ })
    expect(orders.textContent).toContain('40')
    expect(orders.textContent).toContain('+100%')
    expect(orders.textContent).toContain('¥10.00 on average')
    expect(orders.getAttribute('href')).toMatch(/^\/admin\/orders\?paid=2026.*state=paid/)
    const moved = await screen.findByRole('link', { name: /^Traffic\s*3 GB/ })
    expect(moved.getAttribute('href')).toBe('/admin/traffic?days=30')
    const money = screen.getByRole('region', { name: 'Money' })
    expect(within(money).getByText('¥400.00')).toBeVisible()
    expect(within(money).getByText('¥200.00 before')).toBeVisible()
    expect(within(money).getByRole('img', { name: 'Revenue by day' })).toBeVisible()
    expect(screen.getByText(/alipay 3/)).toBeVisible()
    expect(screen.queryByRole('region', { name: 'First steps' })).toBeNull()
  })

  it('shows the first steps until all of them are done', async () => {
    server.use(
      ...asStaff('overview.read', 'plan.write'),
      answers([
        { key: 'site', is_done: true },
        { key: 'gateway', is_done: true },
        { key: 'plan', is_done: false },
        { key: 'node', is_done: false },
      ]),
    )
    await openSignedIn('/admin')
    const steps = await screen.findByRole('region', { name: 'First steps' })
    expect(within(steps).getByText('2 of 4 are done.')).toBeVisible()
    const hrefs = within(steps)
      .getAllByRole('link')
      .map((link) => link.getAttribute('href'))
    expect(hrefs).toEqual([
      '/admin/settings?area=site',
      '/admin/gateways',
      '/admin/plans/new',
      '/admin/nodes',
    ])
  })

  it('leads who may not make a plan to the list of them', async () => {
    server.use(...asStaff('overview.read', 'plan.read'), answers([{ key: 'plan', is_done: false }]))
    await openSignedIn('/admin')
    const steps = await screen.findByRole('region', { name: 'First steps' })
    expect(within(steps).getByRole('link')).toHaveAttribute('href', '/admin/plans')
  })

  it('counts the transfers that wait for a member, and leads to just those', async () => {
    const asked: string[] = []
    server.use(
      ...asStaff('overview.read', 'payment.confirm', 'recharge.read', 'gateway.read'),
      answers([]),
      http.get('*/api/v2/staff/gateways', () =>
        success([
          { name: 'bank', kind: 'manual' },
          { name: 'cash', kind: 'manual' },
          { name: 'card', kind: 'stripe' },
        ]),
      ),
      http.get('*/api/v2/staff/recharges/count', ({ request }) => {
        asked.push(new URL(request.url).search)
        return success({ rows: 2, approximate: false })
      }),
    )
    await openSignedIn('/admin')
    const line = await screen.findByRole('link', { name: /Transfers to confirm/ })
    expect(line).toHaveTextContent('2')
    expect(asked[0]).toBe('?state=pending&gateway=bank%2Ccash')
    expect(line.getAttribute('href')).toBe('/admin/recharges?state=pending&gateway=bank%2Ccash')
  })
})
