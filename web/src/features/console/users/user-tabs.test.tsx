import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Booking, ConnectionStep } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'
import { staffUser } from './staff-user.fixture'

const step = (change: Partial<ConnectionStep>): ConnectionStep => ({
  key: 'account',
  state: 'ok',
  code: 'open',
  count: null,
  of: null,
  at: null,
  detail: '',
  ...change,
})

const purchase: Booking = {
  id: 3,
  reason: 'purchase',
  reference_kind: 'order',
  reference_no: 8,
  note: 'Standard',
  currency: 'CNY',
  created_at: inDays(-1),
  postings: [
    { account: 'wallet', user_id: 9, gateway: '', amount: '-25.00', balance_after: '5.00' },
    { account: 'sales', user_id: null, gateway: '', amount: '25.00', balance_after: null },
  ],
}

const asked = vi.fn<(search: string) => void>()
const sent = vi.fn<(body: unknown) => void>()

beforeEach(() => {
  asked.mockClear()
  sent.mockClear()
  server.use(
    ...asStaff('user.read', 'user.history.read', 'user.recover', 'money.ledger.read'),
    http.get('*/api/v2/staff/users', () => success({ rows: [], next_cursor: '' })),
    http.get('*/api/v2/staff/users/9', () => success(staffUser())),
    http.get('*/api/v2/staff/users/9/connection', () =>
      success({
        steps: [
          step({}),
          step({ key: 'quota', state: 'failing', code: 'used_up', of: 2 ** 30, at: inDays(3) }),
          step({ key: 'nodes', state: 'ok', code: 'some', count: 2, of: 5 }),
        ],
        addresses: [],
      }),
    ),
    http.get('*/api/v2/staff/users/9/traffic', () => success([])),
    http.get('*/api/v2/staff/users/9/link-fetches', () =>
      failure(500, { message: 'Broken', code: 'internal' }),
    ),
    http.get('*/api/v2/staff/users/9/sign-ins', () =>
      success([{ at: inDays(-2), ip: '10.0.0.1', area: 'ZZ', user_agent: 'curl', wrong: '' }]),
    ),
    http.get('*/api/v2/staff/users/9/sessions', () =>
      success([
        {
          id: '018f0000-0000-7000-8000-000000000001',
          browser: 'Firefox',
          system: 'Linux',
          ip: '203.0.113.9',
          area: 'JP',
          created_at: inDays(-1),
          seen_at: inDays(0),
        },
      ]),
    ),
    http.post('*/api/v2/staff/users/9/sessions/end', async ({ request }) => {
      sent(await request.json())
      return success({ ended: 1 })
    }),
    http.get('*/api/v2/staff/ledger/count', () => success({ rows: 1, approximate: false })),
    http.get('*/api/v2/staff/ledger', ({ request }) => {
      asked(new URL(request.url).search)
      return success({ rows: [purchase], next_cursor: '' })
    }),
    http.get('*/api/v2/staff/ledger/accounts', () =>
      success([
        { account: 'wallet', gateway: '', is_users: true, count: 3, balance: '5.00' },
        { account: 'sales', gateway: '', is_users: false, count: 1, balance: '-5.00' },
      ]),
    ),
  )
})

describe('the page of a user', () => {
  it('says which step keeps the user out, and shows the other sections where one fails', async () => {
    await openSignedIn('/admin/users/9?tab=access')
    const check = await screen.findByRole('region', { name: 'Why no connection?' })
    expect(await within(check).findByText(/All of 1(\.0+)? GB are used up/)).toBeVisible()
    expect(check).toHaveTextContent(/Traffic left\s*This is it/)
    expect(check).toHaveTextContent('2 of 5 nodes.')
    const fetches = await screen.findByRole('region', { name: 'Link fetches' })
    expect(await within(fetches).findByRole('button', { name: /again/i })).toBeVisible()
    const sessions = await screen.findByRole('region', { name: 'Sessions and devices' })
    await waitFor(() => expect(sessions).toHaveTextContent('203.0.113.9 · Japan ·'))
    const signIns = screen.getByRole('region', { name: 'Sign-ins' })
    await waitFor(() => expect(signIns).toHaveTextContent('· — · curl'))
  })

  it('ends one session with a reason', async () => {
    const { user } = await openSignedIn('/admin/users/9?tab=access')
    await user.click(await screen.findByRole('button', { name: /Actions for Firefox/ }))
    await user.click(
      await screen.findByRole('menuitem', { name: 'End this session', hidden: true }),
    )
    const dialog = await screen.findByRole('dialog', { name: 'End this session' })
    await user.type(await within(dialog).findByRole('textbox', { name: /^Reason/ }), 'Lost')
    await user.click(within(dialog).getByRole('button', { name: 'End this session' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith({
        session_id: '018f0000-0000-7000-8000-000000000001',
        reason: 'Lost',
      }),
    )
  })

  it('reads the money only when it is looked at', async () => {
    const { user } = await openSignedIn('/admin/users/9')
    expect(asked).not.toHaveBeenCalled()
    await user.click(await screen.findByRole('link', { name: 'Money' }))
    const movements = await screen.findByRole('region', { name: 'Movements' })
    await waitFor(() =>
      expect(movements).toHaveTextContent(/Purchase Standard.*25\.00.*Wallet.*5\.00/),
    )
    expect(asked.mock.calls[0]?.[0]).toContain('user=9')
  })
})

describe('the ledger', () => {
  it('shows both sides, the balances, and leads to the order', async () => {
    await openSignedIn('/admin/ledger?reason=purchase')
    const table = await screen.findByRole('table', { name: 'Ledger' })
    expect(await within(table).findByRole('link', { name: 'Order #8' })).toHaveAttribute(
      'href',
      '/admin/orders/8',
    )
    expect(table).toHaveTextContent(/Wallet #9.*25\.00.*Sales.*25\.00/)
    expect(asked.mock.calls[0]?.[0]).toContain('reason=purchase')
    expect(await screen.findByRole('region', { name: 'Accounts' })).toHaveTextContent(
      /Wallet · of users.*5\.00.*Sales.*5\.00/,
    )
  })
})
