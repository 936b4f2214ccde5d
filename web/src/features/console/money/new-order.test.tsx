import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { OrderQuote, StaffPlan } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'
import { staffUser } from '../users/staff-user.fixture'

const plan = {
  id: 2,
  kind: 'plan',
  name: 'Standard',
  archived_at: null,
  traffic_bytes: 1024 ** 3,
  prices: [
    { months: 1, amount: '20.00', renewals: null },
    { months: 12, amount: '200.00', renewals: null },
  ],
} as unknown as StaffPlan

const quote: OrderQuote = {
  kind: 'plan',
  plan: { id: 2, name: 'Standard' },
  months: 1,
  currency: 'CNY',
  listed: '20.00',
  price: '15.00',
  credit: '0.00',
  total: '15.00',
  balance: '4.00',
  ends_at: inDays(30),
  traffic_bytes: 1024 ** 3,
}

const sent = vi.fn<(path: string, body: unknown) => void>()
const take = async ({ request }: { request: Request }) => {
  sent(new URL(request.url).pathname, await request.json())
  return success({ order_no: 8 })
}

beforeEach(() => {
  sent.mockClear()
  server.use(
    ...asStaff(
      'order.make',
      'order.read',
      'user.read',
      'plan.read',
      'gateway.read',
      'payment.confirm',
      'service.give',
    ),
    http.get('*/api/v2/staff/users', () => success({ rows: [staffUser()], next_cursor: '' })),
    http.get('*/api/v2/staff/users/9', () => success(staffUser())),
    http.get('*/api/v2/staff/plans', () => success([plan])),
    http.get('*/api/v2/staff/gateways', () =>
      success([{ id: 1, name: 'alipay', title_en: 'Alipay', title_zh: '支付宝', enabled: true }]),
    ),
    http.get('*/api/v2/staff/users/9/order-quote', () => success(quote)),
    http.get('*/api/v2/staff/orders', () => success({ rows: [], next_cursor: '' })),
    http.get('*/api/v2/staff/orders/8', () => success({ no: 8, state: 'pending', recharge_no: 4 })),
    http.post('*/api/v2/staff/users/9/orders', take),
    http.post('*/api/v2/staff/users/9/service-gifts', take),
    http.post('*/api/v2/staff/recharges/4/confirm', take),
  )
})

/** Makes the order that the form has, after its question. */
async function make(person: Awaited<ReturnType<typeof openSignedIn>>['user']) {
  await person.type(screen.getByRole('textbox', { name: /^Reason/ }), 'A call')
  await person.click(screen.getByRole('button', { name: 'Make the order' }))
  const dialog = await screen.findByRole('dialog', { name: 'Make the order' })
  await person.click(await within(dialog).findByRole('button', { name: 'Make the order' }))
}

describe('an order by staff', () => {
  it('is assigned at a lower price, which the question names, after a preview', async () => {
    const { user: person } = await openSignedIn('/admin/orders/new')
    await person.type(await screen.findByRole('textbox', { name: /^Number or e-mail/ }), '9')
    await person.click(screen.getByRole('button', { name: 'Next' }))
    await person.type(await screen.findByRole('textbox', { name: /^Price/ }), '15.00')
    await screen.findByRole('option', { name: /^By the user/ })
    expect(screen.getByRole('option', { name: '1 month · ¥20.00' })).toBeInTheDocument()
    expect(screen.getByText(/the listed price, ¥20\.00\./)).toBeVisible()
    await person.selectOptions(screen.getByRole('combobox', { name: 'Paid' }), 'user')
    const preview = screen.getByRole('region', { name: 'What it brings and costs' })
    await waitFor(() => expect(preview).toHaveTextContent(/Listed price.*20\.00.*Total.*15\.00/))
    await person.type(screen.getByRole('textbox', { name: /^Reason/ }), 'A call')
    await person.click(screen.getByRole('button', { name: 'Make the order' }))
    const dialog = await screen.findByRole('dialog', { name: 'Make the order' })
    expect(await within(dialog).findByText(/ ¥5\.00 below the listed price/)).toBeVisible()
    await person.click(within(dialog).getByRole('button', { name: 'Make the order' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/api/v2/staff/users/9/orders', {
        plan_id: 2,
        months: 1,
        price: '15.00',
        gateway: 'alipay',
        reason: 'A call',
      }),
    )
  })

  it('that was paid past the gateway is confirmed once it is made', async () => {
    const { user: person } = await openSignedIn('/admin/orders/new?user=9')
    await screen.findByRole('option', { name: 'Already, past the gateway' })
    await person.selectOptions(screen.getByRole('combobox', { name: 'Paid' }), 'paid')
    await make(person)
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/api/v2/staff/recharges/4/confirm', {
        outside: true,
        reason: 'A call',
      }),
    )
  })

  it('that is free is a gift', async () => {
    const { user: person } = await openSignedIn('/admin/orders/new?user=9')
    await person.selectOptions(await screen.findByRole('combobox', { name: 'Period' }), '12')
    await person.selectOptions(screen.getByRole('combobox', { name: 'Paid' }), 'free')
    await make(person)
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/api/v2/staff/users/9/service-gifts', {
        kind: 'start',
        plan_id: 2,
        months: 12,
        reason: 'A call',
      }),
    )
  })

  it('that cannot be made says why beside the form', async () => {
    server.use(
      http.get('*/api/v2/staff/users/9/order-quote', () =>
        failure(409, { message: 'This is sold out', code: 'sold_out' }),
      ),
    )
    await openSignedIn('/admin/orders/new?user=9')
    expect(await screen.findByText('This is sold out')).toBeVisible()
  })
})
