import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import type { InviteResult, PayoutItem } from '@/lib/api/gen/types.gen'
import { inDays, wallet } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const invite = (change: Partial<InviteResult> = {}): InviteResult => ({
  invite_code: 'ABCDEFGH23',
  invite_link: 'https://fast.example.com/auth/sign-up?invite_code=ABCDEFGH23',
  total_invites: 0,
  total_commission: '90.00',
  owed: '0.00',
  commission_rate: '0.10',
  commission_permille: 100,
  invited_users: [],
  released: '60.00',
  pending: '30.00',
  paying_out: '0.00',
  payout_min: '10.00',
  release_days: 7,
  first_order_only: false,
  invites_left: null,
  ...change,
})

const payout = (change: Partial<PayoutItem> = {}): PayoutItem => ({
  id: 3,
  created_at: inDays(-1),
  amount: '50.00',
  method: 'bank',
  account: '6222 0000',
  state: 'open',
  answer: '',
  ended_at: null,
  ...change,
})

let state: InviteResult
let payouts: PayoutItem[]

beforeEach(() => {
  state = invite()
  payouts = []
  server.use(
    http.get('*/api/v2/user/invite', () => success(state)),
    http.get('*/api/v2/user/invite/codes', () =>
      success({ codes: [], most_codes: 0, least_size: 4 }),
    ),
    http.get('*/api/v2/user/invite/payouts', () =>
      success({ payouts, total_count: payouts.length }),
    ),
    http.get('*/api/v2/user/wallet', () => success(wallet())),
  )
})

const card = async () => within(await screen.findByRole('region', { name: 'Commission' }))

describe('commission on the page of invites', () => {
  it('is shown by its states, and is paid out on request', async () => {
    let sent: unknown
    server.use(
      http.post('*/api/v2/user/invite/payouts', async ({ request }) => {
        sent = await request.json()
        state = invite({ released: '10.00', paying_out: '50.00' })
        payouts = [payout()]
        return success(payouts[0])
      }),
    )
    const { user } = await openSignedIn('/user/promote')
    const view = await card()
    expect(view.getByText('30.00', { exact: false })).toBeVisible()
    await user.type(await view.findByLabelText('Amount'), '50')
    await user.selectOptions(view.getByLabelText('Paid by'), 'Bank card')
    await user.type(view.getByLabelText('Account'), '6222 0000')
    await user.click(view.getByRole('button', { name: 'Ask for the payout' }))
    expect(await view.findByText('To be paid')).toBeVisible()
    expect(view.queryByLabelText('Account')).toBeNull()
    expect(await screen.findByText(/^Your request was sent to staff/)).toBeVisible()
    expect(sent).toEqual({ amount: '50', method: 'bank', account: '6222 0000' })
  })

  it('says at the field what is wrong with a request', async () => {
    server.use(
      http.post('*/api/v2/user/invite/payouts', () =>
        failure(422, {
          message: 'Some of the input is wrong',
          code: 'invalid_input',
          errors: [{ field: 'amount', code: 'range', message: 'The amount is at least 10.00' }],
        }),
      ),
    )
    const { user } = await openSignedIn('/user/promote')
    const view = await card()
    await user.click(await view.findByRole('button', { name: 'Ask for the payout' }))
    expect(await view.findByText('Please enter the account to pay to')).toBeVisible()
    await user.type(view.getByLabelText('Amount'), '1')
    await user.type(view.getByLabelText('Account'), '6222')
    await user.click(view.getByRole('button', { name: 'Ask for the payout' }))
    expect(await view.findByText('The amount is at least 10.00')).toBeVisible()
  })

  it('takes a request back, and says why another was refused', async () => {
    state = invite({ paying_out: '50.00' })
    payouts = [payout(), payout({ id: 2, state: 'refused', answer: 'The name is wrong' })]
    server.use(
      http.post('*/api/v2/user/invite/payouts/3/withdraw', () => {
        state = invite()
        payouts = [payout({ state: 'withdrawn' })]
        return success({})
      }),
    )
    const { user } = await openSignedIn('/user/promote')
    const view = await card()
    expect(await view.findByText('The name is wrong')).toBeVisible()
    await user.click(view.getByRole('button', { name: 'Take back' }))
    const ask = await screen.findByRole('dialog', { name: 'Take the request back?' })
    expect(within(ask).getByText(/50\.00 becomes released commission again/)).toBeVisible()
    await user.click(within(ask).getByRole('button', { name: 'Take back' }))
    expect(await view.findByText('Taken back')).toBeVisible()
    expect(await view.findByLabelText('Account')).toBeVisible()
  })

  it('moves to the balance; nothing is paid out where the site does not', async () => {
    const { payout_min: _, ...without } = invite()
    state = without
    let sent: unknown
    server.use(
      http.post('*/api/v2/user/invite/withdraw', async ({ request }) => {
        sent = await request.json()
        state = { ...without, released: '0.00' }
        return success({})
      }),
    )
    const { user } = await openSignedIn('/user/promote')
    const view = await card()
    expect(view.queryByLabelText('Account')).toBeNull()
    const move = view.getByRole('button', { name: /Move .*60.00 to the balance/ })
    await user.click(move)
    const dialog = within(await screen.findByRole('dialog', { name: /Move .*60.00/ }))
    expect(dialog.getByText(/commission of .*60\.00 .* can’t be taken back/)).toBeVisible()
    await user.click(dialog.getByRole('button', { name: 'Cancel' }))
    expect(sent).toBeUndefined()
    await user.click(move)
    await user.click(await screen.findByRole('button', { name: 'Move to the balance' }))
    expect(await view.findByText('It is in your balance.')).toBeVisible()
    expect(sent).toEqual({ amount: '60.00' })
  })

  it('offers a poster to save', async () => {
    const { user } = await openSignedIn('/user/promote')
    await user.click(await screen.findByRole('button', { name: 'Poster' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Invite poster' }))
    expect(dialog.getByRole('img', { name: /with the code ABCDEFGH23/ })).toBeVisible()
    expect(dialog.getByRole('button', { name: 'Save picture' })).toBeVisible()
  })
})
