import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import type { InviteFigures } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const figures: InviteFigures = {
  from: inDays(-30),
  sign_ups: 12,
  payers: 5,
  commissions: [
    { state: 'pending', count: 2, amount: '3.00' },
    { state: 'released', count: 3, amount: '7.50' },
    { state: 'reversed', count: 0, amount: '0.00' },
  ],
  owed: '1.00',
  open_payouts: 1,
  payouts_amount: '4.00',
  codes: [
    {
      inviter_id: 7,
      inviter_email: 'ming@example.com',
      code: 'forum-42',
      label: 'Forum',
      is_disabled: true,
      sign_ups: 9,
      payers: 4,
      commission: '8.00',
    },
  ],
  newest: [
    {
      user_id: 21,
      email: 'friend@example.com',
      inviter_id: 7,
      inviter_email: 'ming@example.com',
      code: 'forum-42',
      joined_at: inDays(-2),
      orders: 1,
      earned: '2.00',
    },
  ],
  check_ins: [
    { date: '2026-11-01', users: 0, bytes: 0 },
    { date: '2026-11-02', users: 3, bytes: 3 * 1024 ** 3 },
  ],
}

it('shows who invited whom, what it cost and what check-ins gave', async () => {
  const asked: (string | null)[] = []
  server.use(
    ...asStaff('money.refund.read'),
    http.get('*/api/v2/staff/invites', ({ request }) => {
      asked.push(new URL(request.url).searchParams.get('days'))
      return success(figures)
    }),
  )
  const { user } = await openSignedIn('/admin/invites')
  const codes = await screen.findByRole('table', { name: 'Codes that brought most people in' })
  expect(await within(codes).findByText('forum-42 · Forum · off')).toBeVisible()
  const newest = within(await screen.findByRole('table', { name: 'Invited last' }))
  expect(newest.getByRole('link', { name: 'friend@example.com' })).toHaveAttribute(
    'href',
    '/admin/users/21',
  )
  const days = within(screen.getByRole('list', { name: 'Traffic given per day' }))
  expect(days.getAllByRole('listitem')).toHaveLength(1)
  expect(days.getByText(/3 users/)).toBeVisible()
  await user.click(screen.getByText('90 days'))
  expect(await screen.findByText('Bought something', { selector: 'dt' })).toBeVisible()
  expect(asked).toEqual(['30', '90'])
})
