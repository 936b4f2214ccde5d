import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { UserDetail } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'
import { staffUser } from './staff-user.fixture'

const sent = vi.fn<(path: string, body: unknown) => void>()
const wallet = { ...staffUser().wallet, pending: '0.00' }
const other = (change: Partial<UserDetail> = {}) =>
  staffUser({ id: 12, email: 'lin2@example.com', services: [], wallet, ...change })

beforeEach(() => {
  sent.mockClear()
  server.use(
    ...asStaff('user.read', 'user.merge'),
    http.get('*/api/v2/staff/users', () => success({ rows: [other()], next_cursor: '' })),
    http.get('*/api/v2/staff/users/9', () => success(staffUser({ wallet }))),
    http.get('*/api/v2/staff/users/12', () => success(other())),
    http.post('*/api/v2/staff/users/:id/merge', async ({ request }) => {
      sent(new URL(request.url).pathname.split('/users/')[1] ?? '', await request.json())
      return success({})
    }),
  )
})

type User = Awaited<ReturnType<typeof openSignedIn>>['user']

const title = 'Merge with another account'

async function open(user: User) {
  await user.click(await screen.findByRole('button', { name: 'Actions for lin@example.com' }))
  await user.click(await screen.findByRole('menuitem', { name: title, hidden: true }))
  return screen.findByRole('dialog', { name: title })
}

async function find(user: User, typed: string) {
  const dialog = await open(user)
  await user.type(await within(dialog).findByRole('textbox', { name: /other account/ }), typed)
  await user.click(within(dialog).getByRole('button', { name: 'Find' }))
  return dialog
}

describe('the merge of two accounts', () => {
  it('shows both, proposes the one with a service to stay, and asks for the address of the other', async () => {
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await find(user, 'LIN2@example.com')
    expect(await within(dialog).findByRole('radio', { name: 'lin@example.com #9' })).toBeChecked()
    expect(within(dialog).getByRole('radio', { name: 'lin2@example.com #12' })).not.toBeChecked()
    expect(within(dialog).getByText('Standard')).toBeVisible()
    await user.click(within(dialog).getByRole('button', { name: 'Continue' }))

    const confirm = await screen.findByRole('dialog', { name: title })
    const effect = await within(confirm).findByText(/lin2@example.com becomes part of lin@/)
    expect(effect).toHaveTextContent(/balance of ¥12\.00, commission of ¥3\.00/)
    await user.type(within(confirm).getByRole('textbox', { name: /^Reason/ }), 'One person')
    const button = within(confirm).getByRole('button', { name: title })
    expect(button).toBeDisabled()
    await user.type(within(confirm).getByRole('textbox', { name: /lin2@/ }), 'lin2@example.com')
    await user.click(button)
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('12/merge', {
        into_id: 9,
        email: 'lin2@example.com',
        reason: 'One person',
      }),
    )
  })

  it('says at once that an account with a running service cannot be the one that ends', async () => {
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await find(user, '12')
    await user.click(await within(dialog).findByRole('radio', { name: 'lin2@example.com #12' }))
    expect(within(dialog).getByText(/^lin@example\.com cannot end .* Standard #5:/)).toBeVisible()
    expect(within(dialog).getByRole('button', { name: 'Continue' })).toBeDisabled()
    await user.click(within(dialog).getByRole('radio', { name: 'lin@example.com #9' }))
    expect(within(dialog).getByRole('button', { name: 'Continue' })).toBeEnabled()
  })

  it('lets the other account stay, and says what stands in the way', async () => {
    server.use(
      http.get('*/api/v2/staff/users/9', () => success(staffUser({ services: [], wallet }))),
      http.post('*/api/v2/staff/users/9/merge', async ({ request }) => {
        sent('9/merge', await request.json())
        return failure(409, {
          message: 'user #9: unpaid orders #5',
          code: 'merge_blocked',
        })
      }),
    )
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await find(user, '12')
    await user.click(
      await within(dialog).findByRole('radio', {
        name: 'lin2@example.com #12',
      }),
    )
    await user.click(within(dialog).getByRole('button', { name: 'Continue' }))
    const confirm = await screen.findByRole('dialog', { name: title })
    await user.type(await within(confirm).findByRole('textbox', { name: /^Reason/ }), 'One person')
    await user.type(within(confirm).getByRole('textbox', { name: /lin@/ }), 'lin@example.com')
    await user.click(within(confirm).getByRole('button', { name: title }))
    expect(await within(confirm).findByText(/unpaid orders #5/)).toBeVisible()
    expect(sent).toHaveBeenCalledWith('9/merge', {
      into_id: 12,
      email: 'lin@example.com',
      reason: 'One person',
    })
  })

  it('opens with what was typed before it was refused', async () => {
    server.use(
      http.get('*/api/v2/staff/users/9', () => success(staffUser({ services: [], wallet }))),
      http.post('*/api/v2/staff/users/9/merge', () =>
        failure(409, { message: 'User #12: open payment cases #4', code: 'merge_blocked' }),
      ),
    )
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await find(user, '12')
    const twelve = { name: 'lin2@example.com #12' }
    await user.click(await within(dialog).findByRole('radio', twelve))
    await user.click(within(dialog).getByRole('button', { name: 'Continue' }))
    const confirm = await screen.findByRole('dialog', { name: title })
    await user.type(await within(confirm).findByRole('textbox', { name: /^Reason/ }), 'One person')
    await user.type(within(confirm).getByRole('textbox', { name: /lin@/ }), 'lin@example.com')
    await user.click(within(confirm).getByRole('button', { name: title }))
    expect(await within(confirm).findByText(/open payment cases #4/)).toBeVisible()
    await user.click(within(confirm).getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())

    const again = await open(user)
    expect(await within(again).findByRole('radio', twelve)).toBeChecked()
    expect(within(again).getByRole('textbox', { name: /other account/ })).toHaveValue('12')
    await user.click(within(again).getByRole('button', { name: 'Continue' }))
    expect(await screen.findByRole('textbox', { name: /^Reason/ })).toHaveValue('One person')
  })

  it('shows a refusal at the account that it is about, and can be sent again', async () => {
    let tries = 0
    server.use(
      http.post('*/api/v2/staff/users/12/merge', async ({ request }) => {
        sent('12/merge', await request.json())
        tries += 1
        if (tries > 1) return success({})
        const message = 'This is not the address of the account that ends'
        return failure(422, {
          message: 'Something is wrong',
          code: 'invalid',
          errors: [{ field: 'email', code: 'mismatch', message }],
        })
      }),
    )
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await find(user, '12')
    await user.click(await within(dialog).findByRole('button', { name: 'Continue' }))
    const confirm = await screen.findByRole('dialog', { name: title })
    await user.type(await within(confirm).findByRole('textbox', { name: /^Reason/ }), 'One person')
    await user.type(within(confirm).getByRole('textbox', { name: /lin2@/ }), 'lin2@example.com')
    await user.click(within(confirm).getByRole('button', { name: title }))
    const refusal = await within(confirm).findByText(/^This is not the address/)
    expect(refusal.parentElement).toHaveTextContent(/^The account that endslin2@example\.com #12/)
    expect(within(confirm).getByRole('textbox', { name: /^Reason/ })).toHaveValue('One person')
    await user.click(within(confirm).getByRole('button', { name: title }))
    await waitFor(() => expect(sent).toHaveBeenCalledTimes(2))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(within(await open(user)).getByRole('textbox', { name: /other account/ })).toHaveValue('')
  })

  it('says at the first step what of either account stands in the way', async () => {
    const ban = { id: 1, reason: '', remark: '', made_by: 1, ended_by: null, started_at: null }
    const waiting = (no: number) => success({ rows: [{ no, user: { id: 12 } }], next_cursor: '' })
    server.use(
      ...asStaff('user.read', 'user.merge', 'order.read', 'recharge.read'),
      http.get('*/api/v2/staff/users/12', () =>
        success(
          other({
            role: 'support',
            bans: [{ ...ban, starts_at: inDays(-1), ends_at: null, ended_at: null }],
            wallet: { ...wallet, pending: '2.00', paying_out: '5.00' },
          }),
        ),
      ),
      http.get('*/api/v2/staff/orders', ({ request }) => {
        const { searchParams: asked } = new URL(request.url)
        const isOfBoth = asked.get('user') === '9,12' && asked.get('state') === 'pending'
        return isOfBoth ? waiting(5) : success({ rows: [], next_cursor: '' })
      }),
      http.get('*/api/v2/staff/recharges', () => waiting(7)),
    )
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await find(user, '12')
    expect(
      await within(dialog).findByText(
        'These accounts cannot be merged now. lin2@example.com: a member of staff, a ban, unpaid orders #5, unpaid recharges #7, open payouts of commission.',
      ),
    ).toBeVisible()
    expect(
      within(dialog).getByText(/^lin2@.* cannot end .* commissions that are not released:/),
    ).toBeVisible()
    await user.type(within(dialog).getByRole('textbox', { name: /other account/ }), '{Enter}')
    expect(within(dialog).getByRole('radio', { name: 'lin@example.com #9' })).toBeChecked()
    expect(within(dialog).queryByRole('textbox', { name: /^Reason/ })).toBeNull()
  })

  it('lets traffic from check-ins end with the account', async () => {
    const gift = { id: 3, kind: 'checkin', name: 'Check-in', bytes: 10, used_bytes: 1 } as const
    const packages = [{ ...gift, order_no: null, created_at: inDays(-1), expires_at: null }]
    server.use(http.get('*/api/v2/staff/users/12', () => success(other({ packages }))))
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await find(user, '12')
    expect(await within(dialog).findByRole('button', { name: 'Continue' })).toBeVisible()
    expect(within(dialog).queryByText(/cannot end/)).toBeNull()
  })

  it('finds neither nobody nor the account itself', async () => {
    server.use(
      http.get('*/api/v2/staff/users', () => success({ rows: [staffUser()], next_cursor: '' })),
    )
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await find(user, 'nobody@example.com')
    expect(await within(dialog).findByText('There is no such user.')).toBeVisible()
    const field = within(dialog).getByRole('textbox', {
      name: /other account/,
    })
    await user.clear(field)
    await user.type(field, '#9')
    await user.click(within(dialog).getByRole('button', { name: 'Find' }))
    expect(await within(dialog).findByText('This is the account itself.')).toBeVisible()
  })

  it('leads from each account to the one on the other side', async () => {
    const at = new Date().toISOString()
    server.use(
      http.get('*/api/v2/staff/users/9', () =>
        success(
          staffUser({
            merged_into: { id: 4, at },
            merged_from: [{ id: 12, at }],
          }),
        ),
      ),
    )
    await openSignedIn('/admin/users/9')
    expect(await screen.findByRole('link', { name: '#4' })).toHaveAttribute(
      'href',
      '/admin/users/4',
    )
    expect(screen.getByRole('link', { name: '#12' })).toHaveAttribute('href', '/admin/users/12')
  })
})
