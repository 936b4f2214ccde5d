import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ApprovalItem, OrderRow } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const order = (no: number, change: Partial<OrderRow> = {}): OrderRow => ({
  id: `00000000-0000-0000-0000-${String(no).padStart(12, '0')}`,
  no,
  kind: 'plan',
  state: 'paid',
  plan: { id: 2, name: 'Standard' },
  months: 1,
  price: '30.00',
  discount: '0.00',
  credit: '0.00',
  total: '30.00',
  currency: 'CNY',
  coupon: '',
  user: { id: 9, email: 'lin@example.com' },
  labels: [],
  created_at: inDays(-1),
  expires_at: inDays(1),
  paid_at: inDays(-1),
  ends_at: inDays(29),
  recharge_no: null,
  service_id: 5,
  package_id: null,
  invoice_uuid: null,
  ...change,
})

const approval = (id: number, change: Partial<ApprovalItem> = {}): ApprovalItem => ({
  id,
  kind: 'coupon',
  reference_no: 3,
  staff_id: 1,
  staff_email: 'ann@example.com',
  beneficiary_id: null,
  beneficiary_email: '',
  worth: '500.00',
  state: 'waiting',
  created_at: inDays(-1),
  decided_at: null,
  decided_by: null,
  ...change,
})

const sent = vi.fn<(path: string, body: unknown) => void>()
const asked = vi.fn<(search: string) => void>()
const take = async ({ request }: { request: Request }) => {
  sent(new URL(request.url).pathname, await request.json())
  return success({ amount: '12.00' })
}

beforeEach(() => {
  sent.mockClear()
  asked.mockClear()
  server.use(
    ...asStaff('order.read', 'money.refund', 'approval.read', 'approval.decide'),
    http.get('*/api/v2/staff/orders/count', () => success({ rows: 3, approximate: false })),
    http.get('*/api/v2/staff/orders', ({ request }) => {
      asked(new URL(request.url).search)
      return success(
        request.url.includes('cursor=')
          ? { rows: [order(6)], next_cursor: '' }
          : { rows: [order(8), order(7, { state: 'expired' })], next_cursor: 'c2' },
      )
    }),
    http.get('*/api/v2/staff/approvals', () =>
      success({ approvals: [approval(1), approval(2, { staff_id: 7 })], total_count: 2 }),
    ),
    http.post('*/api/v2/staff/orders/:no/refund', take),
    http.post('*/api/v2/staff/approvals/:id/decision', take),
  )
})

const openMenu = async (user: Awaited<ReturnType<typeof openSignedIn>>['user'], name: string) =>
  user.click(await screen.findByRole('button', { name: `Actions for ${name}` }))

describe('orders', () => {
  it('go to the server as the address has them, by cursor', async () => {
    const { router, user } = await openSignedIn('/admin/orders?state=paid&view=3')
    await screen.findByRole('table', { name: 'Orders' })
    const first = asked.mock.calls[0]?.[0]
    expect(first).toContain('state=paid')
    // What no filter of the list is, the server would refuse.
    expect(first).not.toContain('view')
    await waitFor(() => expect(asked.mock.calls.some(([s]) => s.includes('cursor=c2'))).toBe(true))
    await user.click(screen.getByRole('button', { name: 'Total' }))
    await waitFor(() => expect(router.state.location.searchStr).toContain('sort=-total'))
    expect(await screen.findByRole('columnheader', { name: 'Total' })).toHaveAttribute(
      'aria-sort',
      'descending',
    )
  })

  it('are given back only with a reason, and only where they were paid', async () => {
    const { user } = await openSignedIn('/admin/orders')
    await screen.findByRole('table', { name: 'Orders' })
    expect(screen.queryByRole('button', { name: 'Actions for #7' })).toBeNull()
    await openMenu(user, '#8')
    await user.click(await screen.findByRole('menuitem', { name: 'Refund', hidden: true }))
    const dialog = await screen.findByRole('dialog', { name: 'Refund' })
    expect(await within(dialog).findByText(/order #8.*lin@example\.com/)).toBeVisible()
    await user.click(within(dialog).getByRole('button', { name: 'Refund' }))
    expect(await within(dialog).findByText('This is needed.')).toBeVisible()
    expect(sent).not.toHaveBeenCalled()
    await user.type(within(dialog).getByRole('textbox', { name: /^Reason/ }), 'Too slow')
    await user.click(within(dialog).getByRole('button', { name: 'Refund' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/api/v2/staff/orders/8/refund', { reason: 'Too slow' }),
    )
    expect(await screen.findByText('Order #8 is refunded')).toBeVisible()
  })

  it('say where a second member must decide', async () => {
    server.use(
      http.post('*/api/v2/staff/orders/:no/refund', () =>
        failure(403, { message: 'Waits', code: 'second_member_needed' }),
      ),
    )
    const { user } = await openSignedIn('/admin/orders')
    await openMenu(user, '#8')
    await user.click(await screen.findByRole('menuitem', { name: 'Refund', hidden: true }))
    const dialog = await screen.findByRole('dialog', { name: 'Refund' })
    await user.type(await within(dialog).findByRole('textbox', { name: /^Reason/ }), 'Too slow')
    await user.click(within(dialog).getByRole('button', { name: 'Refund' }))
    expect(await within(dialog).findByText(/once a second member of staff approves/)).toBeVisible()
  })
})

describe('approvals', () => {
  it('are decided by another member than made them', async () => {
    const { user } = await openSignedIn('/admin/approvals?state=waiting')
    await screen.findByRole('table', { name: 'Approvals' })
    expect(screen.queryByRole('button', { name: 'Actions for #2' })).toBeNull()
    await openMenu(user, '#1')
    await user.click(await screen.findByRole('menuitem', { name: 'Approve', hidden: true }))
    const dialog = await screen.findByRole('dialog', { name: 'Approve' })
    await user.click(await within(dialog).findByRole('button', { name: 'Approve' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/api/v2/staff/approvals/1/decision', { approve: true }),
    )
  })
})
