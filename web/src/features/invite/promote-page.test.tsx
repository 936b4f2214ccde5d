import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { InviteResult } from '@/lib/api/gen/types.gen'
import { inDays, wallet } from '@/test/fixtures'
import { failure, server, site, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const link = 'https://fast.example.com/auth/sign-up?invite_code=ABCDEFGH23'

const invite = (change: Partial<InviteResult> = {}): InviteResult => ({
  invite_code: 'ABCDEFGH23',
  invite_link: link,
  total_invites: 2,
  total_commission: '6.00',
  owed: '0.00',
  paying_out: '0.00',
  commission_rate: '0.10',
  commission_permille: 100,
  invited_users: [
    {
      user_id: 9,
      username: 'Mei',
      registered_at: inDays(-1),
      commission_earned: '6.00',
      status: 'paid',
    },
    {
      user_id: 8,
      username: 'Bo',
      registered_at: inDays(-3),
      commission_earned: '0.00',
      status: 'registered',
    },
  ],
  released: '0.00',
  pending: '6.00',
  release_days: 7,
  first_order_only: false,
  invites_left: null,
  ...change,
})

const answer = (change?: Partial<InviteResult>) =>
  http.get('*/api/v2/user/invite', () => success(invite(change)))

beforeEach(() =>
  server.use(
    answer(),
    http.get('*/api/v2/user/wallet', () => success(wallet())),
    http.get('*/api/v2/user/invite/codes', () =>
      success({ codes: [], most_codes: 0, least_size: 4 }),
    ),
    http.get('*/api/v2/user/invite/payouts', () => success({ payouts: [], total_count: 0 })),
  ),
)

describe('the page to invite others', () => {
  it('shows the link and the code to copy, and the link as a QR code', async () => {
    const { user } = await openSignedIn('/user/promote')
    expect(await screen.findByRole('heading', { name: 'Invite others', level: 1 })).toBeVisible()
    const writeText = vi.spyOn(navigator.clipboard, 'writeText')
    await user.click(await screen.findByRole('button', { name: 'Copy Invite link' }))
    await user.click(screen.getByRole('button', { name: 'Copy Invite code' }))
    expect(writeText.mock.calls).toEqual([[link], ['ABCDEFGH23']])
    expect(await screen.findByRole('img', { name: 'QR code of your invite link' })).toBeVisible()
  })

  it('says how many signed up and who they are', async () => {
    await openSignedIn('/user/promote')
    expect(await screen.findByText('Signed up with your code')).toBeVisible()
    expect(screen.getByText('2')).toBeVisible()
    const table = screen.getByRole('table', { name: 'Who signed up' })
    expect(within(table).getByText('Mei')).toBeVisible()
    expect(within(table).getByText('Has bought')).toBeVisible()
    expect(within(table).getByText('Signed up')).toBeVisible()
    expect(screen.getByText(/10% of what they pay/)).toBeVisible()
  })

  it('says what is owed of commission that was taken back', async () => {
    server.use(answer({ owed: '2.50' }))
    await openSignedIn('/user/promote')
    expect(await screen.findByText(/2\.50 that you had moved to the balance/)).toBeVisible()
  })

  it('says what to do where nobody signed up yet', async () => {
    server.use(answer({ total_invites: 0, invited_users: [], total_commission: '0.00' }))
    await openSignedIn('/user/promote')
    expect(await screen.findByText('Nobody has signed up with your code yet.')).toBeVisible()
  })

  it('says when the code brings in nobody more, or nobody can sign up', async () => {
    server.use(
      answer({ invites_left: 0 }),
      http.get('*/api/v2/site', () =>
        success({ ...site, sign_up: { mode: 'closed', email_code: false } }),
      ),
    )
    await openSignedIn('/user/promote')
    expect(await screen.findByText('All your invites are used.')).toBeVisible()
    expect(await screen.findByText(/Sign-up is closed for now/)).toBeVisible()
  })

  it('is found in the navigation', async () => {
    await openSignedIn('/user/promote')
    const [entry] = await screen.findAllByRole('link', { name: 'Invite others' })
    expect(entry).toHaveAttribute('href', '/user/promote')
  })

  it('says what is wrong, with another try', async () => {
    server.use(
      http.get('*/api/v2/user/invite', () => failure(400, { message: 'No luck', code: 'x' })),
    )
    const { user } = await openSignedIn('/user/promote')
    expect(await screen.findByText('No luck')).toBeVisible()
    server.use(answer())
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('Mei')).toBeVisible()
  })
})
