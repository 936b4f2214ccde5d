import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { OrderDetail, RechargeDetail } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const user = { id: 9, email: 'lin@example.com' }

const booking = {
  id: 1,
  reason: 'purchase',
  reference_kind: 'order',
  reference_no: 8,
  note: 'Standard',
  currency: 'CNY',
  created_at: inDays(-1),
  postings: [
    { account: 'wallet', user_id: 9, gateway: '', amount: '-25.00', balance_after: '0.00' },
    { account: 'sales', user_id: null, gateway: '', amount: '25.00', balance_after: null },
  ],
} satisfies OrderDetail['bookings'][number]

const order = (change: Partial<OrderDetail> = {}): OrderDetail => ({
  id: '00000000-0000-0000-0000-000000000008',
  no: 8,
  kind: 'plan',
  state: 'pending',
  plan: { id: 2, name: 'Standard' },
  months: 1,
  price: '30.00',
  discount: '5.00',
  credit: '0.00',
  total: '25.00',
  currency: 'CNY',
  coupon: 'SPRING',
  user,
  labels: [],
  created_at: inDays(-1),
  expires_at: inDays(1),
  paid_at: null,
  ends_at: null,
  recharge_no: 4,
  service_id: null,
  package_id: null,
  invoice_uuid: null,
  lines: [
    { kind: 'plan', name: 'Standard', months: 1, amount: '30.00' },
    { kind: 'discount', name: 'SPRING', months: null, amount: '-5.00' },
  ],
  period_from: null,
  period_to: null,
  auto_renew: false,
  refundable: '0.00',
  refunded: null,
  refunded_at: null,
  bookings: [],
  ...change,
})

const recharge = (change: Partial<RechargeDetail> = {}): RechargeDetail => ({
  no: 4,
  id: '00000000-0000-0000-0000-000000000004',
  user,
  trade_no: 'TRADE4',
  transaction_id: '',
  gateway: 'alipay',
  amount: '25.00',
  fee: '0.00',
  currency: 'CNY',
  pay_amount: '25.00',
  pay_currency: 'CNY',
  refunded: '0.00',
  refunding: '0.00',
  state: 'pending',
  order_no: 8,
  invoice_uuid: null,
  labels: [],
  created_at: inDays(-1),
  expires_at: inDays(1),
  paid_at: null,
  by_hand: false,
  can_refund: false,
  waits: false,
  bookings: [],
  case_ids: [],
  ...change,
})

const sent = vi.fn<(path: string, body: unknown) => void>()
const take = async ({ request }: { request: Request }) => {
  sent(new URL(request.url).pathname, await request.json())
  return success({})
}

beforeEach(() => {
  sent.mockClear()
  server.use(
    ...asStaff(
      'order.read',
      'order.cancel',
      'recharge.read',
      'recharge.notify.read',
      'payment.confirm',
      'money.refund',
    ),
    http.get('*/api/v2/staff/orders/:no', () => success(order())),
    http.get('*/api/v2/staff/recharges/:no', () => success(recharge())),
    http.get('*/api/v2/staff/recharges/:no/events', () =>
      success({
        events: [
          {
            id: 1,
            method: 'POST',
            query: '',
            header: { 'Content-Type': ['text/plain'] },
            body: 'trade_status=WAIT',
            address: '203.0.113.4',
            outcome: 'refused',
            reason: 'bad_signature',
            created_at: inDays(-1),
          },
        ],
      }),
    ),
    http.post('*/api/v2/staff/orders/:no/cancel', take),
    http.post('*/api/v2/staff/recharges/:no/confirm', take),
    http.post('*/api/v2/staff/recharges/:no/cancel', take),
  )
})

describe('an order', () => {
  it('that is not paid shows its lines, and is cancelled with a reason', async () => {
    const { user: person } = await openSignedIn('/admin/orders/8')
    const lines = await screen.findByRole('region', { name: 'Lines' })
    expect(lines).toHaveTextContent(/Standard.*30\.00.*1 month.*SPRING.*5\.00.*Total.*25\.00/)
    await person.click(screen.getByRole('button', { name: 'Actions for Order #8' }))
    expect(screen.queryByRole('menuitem', { name: 'Refund', hidden: true })).toBeNull()
    await person.click(
      await screen.findByRole('menuitem', { name: 'Cancel the order', hidden: true }),
    )
    const dialog = await screen.findByRole('dialog', { name: 'Cancel the order' })
    await person.type(await within(dialog).findByRole('textbox', { name: /^Reason/ }), 'Asked')
    await person.click(within(dialog).getByRole('button', { name: 'Cancel the order' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/api/v2/staff/orders/8/cancel', { reason: 'Asked' }),
    )
  })

  it('is marked as paid through its recharge, past the gateway', async () => {
    const { user: person } = await openSignedIn('/admin/orders/8')
    await person.click(await screen.findByRole('button', { name: 'Mark as paid' }))
    const dialog = await screen.findByRole('dialog', { name: 'Mark as paid' })
    expect(await within(dialog).findByText(/order #8.*daily limit/i)).toBeVisible()
    await person.type(within(dialog).getByRole('textbox', { name: /^Reason/ }), 'Transfer 77')
    await person.click(within(dialog).getByRole('button', { name: 'Mark as paid' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/api/v2/staff/recharges/4/confirm', {
        outside: true,
        reason: 'Transfer 77',
      }),
    )
  })

  it('that was marked as paid without an answer says so once it is read again', async () => {
    let state: OrderDetail['state'] = 'pending'
    server.use(
      http.get('*/api/v2/staff/orders/:no', () => success(order({ state }))),
      http.post('*/api/v2/staff/recharges/:no/confirm', () => {
        state = 'paid'
        return HttpResponse.error()
      }),
    )
    const { user: person } = await openSignedIn('/admin/orders/8')
    await person.click(await screen.findByRole('button', { name: 'Mark as paid' }))
    const dialog = await screen.findByRole('dialog', { name: 'Mark as paid' })
    await person.type(
      await within(dialog).findByRole('textbox', { name: /^Reason/ }),
      'Transfer 77',
    )
    await person.click(within(dialog).getByRole('button', { name: 'Mark as paid' }))
    expect(await within(dialog).findByText(/^No answer came, but it was done/)).toBeVisible()
    await person.click(within(dialog).getByText('Close'))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(screen.queryByRole('button', { name: 'Mark as paid' })).toBeNull()
  })

  it('that is paid says what it moved, what it led to and what a refund gives back', async () => {
    server.use(
      http.get('*/api/v2/staff/orders/:no', () =>
        success(
          order({
            state: 'paid',
            service_id: 5,
            period_from: inDays(-1),
            period_to: inDays(29),
            refundable: '24.20',
            bookings: [booking],
          }),
        ),
      ),
    )
    const { user: person } = await openSignedIn('/admin/orders/8')
    expect(await screen.findByRole('region', { name: 'What it led to' })).toHaveTextContent('#5')
    expect(screen.getByRole('region', { name: 'Ledger' })).toHaveTextContent(
      /Purchase.*Wallet #9.*25\.00.*Sales.*25\.00/,
    )
    expect(screen.queryByRole('button', { name: 'Mark as paid' })).toBeNull()
    await person.click(screen.getByRole('button', { name: 'Actions for Order #8' }))
    await person.click(await screen.findByRole('menuitem', { name: 'Refund', hidden: true }))
    const dialog = await screen.findByRole('dialog', { name: 'Refund' })
    expect(await within(dialog).findByText(/^¥24\.20 of order #8/)).toBeVisible()
  })
})

describe('a recharge', () => {
  it('shows what the gateway sent, and has it queried', async () => {
    server.use(
      http.post('*/api/v2/staff/recharges/:no/confirm', () =>
        failure(409, { message: 'The platform does not call this paid', code: 'not_paid' }),
      ),
    )
    const { user: person } = await openSignedIn('/admin/recharges/4')
    const events = await screen.findByRole('region', { name: 'Messages of the gateway' })
    expect(await within(events).findByText(/Refused · wrong signature/)).toBeVisible()
    expect(within(events).getByText(/trade_status=WAIT/)).toBeInTheDocument()
    await person.click(screen.getByRole('button', { name: 'Actions for Recharge #4' }))
    await person.click(
      await screen.findByRole('menuitem', { name: 'Query the gateway', hidden: true }),
    )
    const dialog = await screen.findByRole('dialog', { name: 'Query the gateway' })
    await person.click(await within(dialog).findByRole('button', { name: 'Query the gateway' }))
    expect(await within(dialog).findByText(/does not call this paid/)).toBeVisible()
  })

  it('of a gateway without a platform is confirmed, not queried', async () => {
    server.use(http.get('*/api/v2/staff/recharges/:no', () => success(recharge({ by_hand: true }))))
    const { user: person } = await openSignedIn('/admin/recharges/4')
    await person.click(await screen.findByRole('button', { name: 'Confirm payment' }))
    const dialog = await screen.findByRole('dialog', { name: 'Confirm payment' })
    await person.type(await within(dialog).findByRole('textbox', { name: /^Reason/ }), 'Seen')
    await person.click(within(dialog).getByRole('button', { name: 'Confirm payment' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/api/v2/staff/recharges/4/confirm', {
        outside: false,
        reason: 'Seen',
      }),
    )
    expect(screen.queryByRole('button', { name: 'Actions for Recharge #4' })).toBeNull()
  })

  it('that pays for no order is cancelled with a reason', async () => {
    server.use(
      http.get('*/api/v2/staff/recharges/:no', () => success(recharge({ order_no: null }))),
    )
    const { user: person } = await openSignedIn('/admin/recharges/4')
    await person.click(await screen.findByRole('button', { name: 'Actions for Recharge #4' }))
    await person.click(
      await screen.findByRole('menuitem', { name: 'Cancel the recharge', hidden: true }),
    )
    const dialog = await screen.findByRole('dialog', { name: 'Cancel the recharge' })
    await person.type(await within(dialog).findByRole('textbox', { name: /^Reason/ }), 'Forgotten')
    await person.click(within(dialog).getByRole('button', { name: 'Cancel the recharge' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/api/v2/staff/recharges/4/cancel', {
        reason: 'Forgotten',
      }),
    )
  })
})
