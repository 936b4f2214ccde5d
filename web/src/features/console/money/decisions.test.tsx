import { act, screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type {
  CasePayment,
  PaymentCaseResult,
  RefundRequestRow,
  StaffPayoutDetail,
} from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const user = { id: 9, email: 'lin@example.com' }

const request = (change: Partial<RefundRequestRow> = {}): RefundRequestRow => ({
  id: 3,
  order_no: 8,
  service_id: 5,
  package_id: null,
  user_id: 9,
  user,
  plan: { id: 2, name: 'Pro' },
  refundable: '24.20',
  refunded: null,
  reason: 'Too slow',
  state: 'open',
  answer: '',
  created_at: inDays(-1),
  ended_at: null,
  ...change,
})

const payout = (change: Partial<StaffPayoutDetail> = {}): StaffPayoutDetail => ({
  id: 6,
  created_at: inDays(-1),
  amount: '40.00',
  method: 'bank',
  account: '6222 0001',
  state: 'open',
  answer: '',
  ended_at: null,
  user_id: 9,
  made_by: null,
  made_by_email: '',
  decided_by: null,
  decided_by_email: '',
  user,
  released: '12.00',
  pending: '3.00',
  bookings: [],
  ...change,
})

const expected: CasePayment = {
  no: 4,
  user,
  gateway: 'alipay',
  trade_no: 'TRADE4',
  transaction_id: '',
  pay_amount: '25.00',
  pay_currency: 'CNY',
  state: 'pending',
  order_no: 8,
  created_at: inDays(-1),
}

const paymentCase = (change: Partial<PaymentCaseResult> = {}): PaymentCaseResult => ({
  id: 2,
  kind: 'wrong_amount',
  state: 'open',
  waits: false,
  gateway: 'alipay',
  transaction_id: 'T77',
  trade_no: 'TRADE4',
  amount: '24.00',
  currency: 'CNY',
  recharge_no: 4,
  user_id: 9,
  credit: null,
  reason: '',
  decided_by: null,
  decided_by_email: '',
  answer: '',
  created_at: inDays(-1),
  ended_at: null,
  user,
  expected,
  candidates: [],
  bookings: [],
  events: [],
  ...change,
})

const sent = vi.fn<(path: string, body: unknown) => void>()
const take = async ({ request: { url }, request: call }: { request: Request }) => {
  sent(new URL(url).pathname, await call.json())
  return success({})
}

beforeEach(() => {
  sent.mockClear()
  server.use(
    ...asStaff(
      'money.refund.read',
      'money.refund',
      'money.commission.pay',
      'payment.case.read',
      'payment.case.decide',
    ),
    http.get('*/api/v2/staff/*/assignees', () => success([])),
    http.get('*/api/v2/staff/refund-requests/:id', () =>
      success({ request: request(), refundable: '24.20' }),
    ),
    http.get('*/api/v2/staff/refund-requests', () =>
      success({
        total_count: 2,
        requests: [request({ id: 1, order_no: 7, state: 'declined', refundable: null }), request()],
      }),
    ),
    http.get('*/api/v2/staff/commission-payouts/:id', () => success(payout())),
    http.get('*/api/v2/staff/commission-payouts', () =>
      success({
        total_count: 2,
        payouts: [
          payout(),
          payout({ id: 5, amount: '10.00', account: 'lin@pay.example', state: 'paid' }),
        ],
      }),
    ),
    http.get('*/api/v2/staff/payment-cases/:id', () => success(paymentCase())),
    http.post('*/api/v2/staff/payment-cases/:id/dismiss', take),
    http.post('*/api/v2/staff/payment-cases/:id/credit', take),
    http.post('*/api/v2/staff/refund-requests/:id/decision', take),
    http.post('*/api/v2/staff/commission-payouts/:id/pay', take),
  )
})

describe('the page of a decision about money', () => {
  it('of a refund request says what granting gives back, and what was asked for before', async () => {
    const { user: person } = await openSignedIn('/admin/refunds/3')
    const what = await screen.findByRole('region', { name: 'What was asked for' })
    expect(what).toHaveTextContent(/Too slow.*24\.20/)
    const others = await screen.findByRole('region', { name: 'Other refund requests of the user' })
    expect(await within(others).findByRole('link', { name: 'Order #7' })).toBeVisible()
    await person.click(screen.getByRole('button', { name: 'Grant' }))
    const dialog = await screen.findByRole('dialog', { name: 'Grant' })
    expect(dialog).toHaveTextContent(/24\.20 of order #8 \(Pro\) go back .* of lin@example\.com/)
    await person.type(
      await within(dialog).findByRole('textbox', { name: /^Answer to the user/ }),
      'Sorry',
    )
    await person.click(within(dialog).getByRole('button', { name: 'Grant' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/api/v2/staff/refund-requests/3/decision', {
        grant: true,
        answer: 'Sorry',
      }),
    )
  })

  it('of a refund request is preceded by whose it is and how much it is about', async () => {
    await openSignedIn('/admin/refunds')
    const open = await screen.findByRole('row', { name: /#8/ })
    expect(open).toHaveTextContent(/#8.*lin@example\.com.*Pro.*24\.20.*Too slow/)
    expect(screen.getByRole('row', { name: /#7/ })).toHaveTextContent(/Pro.*—.*Too slow/)
  })

  it('of a payout shows where money went before', async () => {
    await openSignedIn('/admin/payouts/6')
    const what = await screen.findByRole('region', { name: 'What was asked for' })
    expect(what).toHaveTextContent(/40\.00.*Bank transfer.*6222 0001/)
    const others = await screen.findByRole('region', { name: 'Other payouts of the user' })
    expect(await within(others).findByText(/lin@pay\.example/)).toBeVisible()
    expect(screen.getByRole('region', { name: 'Facts' })).toHaveTextContent(/12\.00.*3\.00/)
    expect(screen.getByRole('button', { name: 'Note as paid' })).toBeVisible()
  })

  it('names the members of staff who decided', async () => {
    const ann = { made_by: 11, made_by_email: 'ann@example.com' }
    server.use(
      http.get('*/api/v2/staff/commission-payouts/6', () =>
        success(payout({ ...ann, decided_by: 12, decided_by_email: '' })),
      ),
      http.get('*/api/v2/staff/payment-cases/2', () =>
        success(paymentCase({ decided_by: 11, decided_by_email: 'ann@example.com' })),
      ),
    )
    const { router } = await openSignedIn('/admin/payouts/6')
    const facts = async () => within(await screen.findByRole('region', { name: 'Facts' }))
    const maker = await (await facts()).findByRole('link', { name: 'ann@example.com' })
    expect(maker).toHaveAttribute('href', '/admin/users/11')
    // The account of this one is closed.
    expect((await facts()).getByRole('link', { name: '#12' })).toBeVisible()

    await act(() => router.navigate({ to: '/admin/payment-cases/$id', params: { id: '2' } }))
    expect(await (await facts()).findByRole('link', { name: 'ann@example.com' })).toBeVisible()
  })

  it('of a payment case holds what came against what was expected', async () => {
    const { user: person } = await openSignedIn('/admin/payment-cases/2')
    expect(await screen.findByRole('region', { name: 'Received' })).toHaveTextContent(/24\.00.*T77/)
    const region = screen.getByRole('region', { name: 'Expected' })
    expect(region).toHaveTextContent(/25\.00.*TRADE4.*#4/)
    await person.click(screen.getByRole('button', { name: 'Actions for Payment case #2' }))
    await person.click(await screen.findByRole('menuitem', { name: 'Dismiss', hidden: true }))
    const dialog = await screen.findByRole('dialog', { name: 'Dismiss' })
    await person.type(await within(dialog).findByRole('textbox', { name: /^Reason/ }), 'A test')
    await person.click(within(dialog).getByRole('button', { name: 'Dismiss' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/api/v2/staff/payment-cases/2/dismiss', {
        reason: 'A test',
      }),
    )
  })

  it('of a payment for an account that was closed asks whom to credit', async () => {
    server.use(
      http.get('*/api/v2/staff/payment-cases/2', () =>
        success(paymentCase({ kind: 'paid_twice', user: { id: 9, email: '' } })),
      ),
    )
    const { user: person } = await openSignedIn('/admin/payment-cases/2')
    await person.click(await screen.findByRole('button', { name: 'Credit' }))
    const dialog = await screen.findByRole('dialog', { name: 'Credit' })
    await person.type(await within(dialog).findByLabelText(/^Number of the user/), '12')
    await person.type(within(dialog).getByRole('textbox', { name: /^Reason/ }), 'Came back')
    await person.click(within(dialog).getByRole('button', { name: 'Credit' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/api/v2/staff/payment-cases/2/credit', {
        user_id: 12,
        reason: 'Came back',
      }),
    )
  })

  it('of a payment that names nothing lists the recharges that it may be for', async () => {
    server.use(
      http.get('*/api/v2/staff/payment-cases/:id', () =>
        success({
          ...paymentCase({
            kind: 'unknown_number',
            user_id: null,
            recharge_no: null,
            candidates: [{ ...expected, no: 12, pay_amount: '24.00' }],
          }),
          user: undefined,
          expected: undefined,
        }),
      ),
    )
    await openSignedIn('/admin/payment-cases/2')
    expect(await screen.findByText('The payment names no recharge of this site.')).toBeVisible()
    const list = screen.getByRole('region', { name: 'What it may be for' })
    expect(within(list).getByRole('link', { name: '#12' })).toHaveAttribute(
      'href',
      '/admin/recharges/12',
    )
  })
})
