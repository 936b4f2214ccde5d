import { screen, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import type { RedemptionRecord } from '@/lib/api/gen/types.gen'
import { GB, inDays } from '@/test/fixtures'
import { failure, notBanned, server, stillLoading, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const redeemPath = '*/api/v2/user/wallet/cd-key/:key'
const listPath = '*/api/v2/user/wallet/cd-key'
const key = '7K2MQ-9TRXA-0BC4D-EFGH5'

const redemption = (change: Partial<RedemptionRecord> = {}): RedemptionRecord => ({
  no: 4,
  created_at: inDays(-1),
  cd_key: '7K2MQ',
  kind: 'amount',
  amount: '10.00',
  ...change,
})

const has = (...records: RedemptionRecord[]) =>
  server.use(http.get(listPath, () => success({ records, total_count: records.length })))

beforeEach(() => {
  sessionStorage.clear()
  server.use(notBanned, stillLoading)
  has()
})

const field = () => screen.findByRole('textbox', { name: 'Cd-key' })

describe('redeeming', () => {
  it('takes a pasted key in any shape, and says what it brought and where that is', async () => {
    const sent: unknown[] = []
    server.use(
      http.post(redeemPath, ({ params }) => {
        sent.push(params.key)
        has(redemption())
        return success(redemption())
      }),
    )
    const { user } = await openSignedIn('/user/wallet/recharge/cd-key')
    await user.click(await field())
    await user.paste(' 7k2mq 9trxa 0bc4d efgh5 ')
    expect(await field()).toHaveValue(key)
    await user.keyboard('{Enter}')
    expect(await screen.findByText(/Redeemed: ¥10.00 of balance/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'See wallet' })).toHaveAttribute('href', '/user/wallet')
    expect(await field()).toHaveValue('')
    expect(await screen.findByRole('row', { name: /¥10.00 of balance 7K2MQ…/ })).toBeVisible()
    expect(sent).toEqual([key])
  })

  it('has room for what the key brought from the press on, and none before', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    server.use(
      http.post(redeemPath, async () => {
        await answered
        return success(redemption())
      }),
    )
    const { user } = await openSignedIn('/user/wallet/recharge/cd-key')
    await user.type(await field(), key)
    const button = screen.getByRole('button', { name: 'Redeem' })
    const outcome = within(button.closest('form') ?? document.body).getByRole('status')
    expect(outcome).not.toHaveAttribute('class')
    await user.click(button)
    expect(outcome).toHaveAttribute('class')
    answer()
    expect(await within(outcome).findByText(/Redeemed/)).toBeVisible()
    expect(outcome).toHaveAttribute('class')
    await user.type(await field(), 'x')
    expect(outcome).not.toHaveAttribute('class')
  })

  it('says what is missing without spending a try', async () => {
    const { user } = await openSignedIn('/user/wallet/recharge/cd-key')
    await user.type(await field(), '7k2mq-9t{Enter}')
    expect(await screen.findByText('A cd-key has 20 characters, this has 7')).toBeVisible()
    expect(await field()).toBeInvalid()
  })

  it('says at the field what the server has against it', async () => {
    server.use(
      http.post(redeemPath, () =>
        failure(404, { message: 'This cd-key is not valid', code: 'cd_key_invalid' }),
      ),
    )
    const { user } = await openSignedIn('/user/wallet/recharge/cd-key')
    await user.type(await field(), `${key}{Enter}`)
    expect(await screen.findByText('This cd-key is not valid')).toBeVisible()
    expect(await field()).toHaveAccessibleDescription(/not valid/)
    await user.type(await field(), '{Backspace}')
    expect(screen.queryByText('This cd-key is not valid')).toBeNull()
  })

  it('says how long to wait after too many wrong ones', async () => {
    server.use(
      http.post(redeemPath, () =>
        failure(
          429,
          { message: 'Too many wrong cd-keys', code: 'too_many_cd_keys' },
          { 'Retry-After': '2400' },
        ),
      ),
    )
    const { user } = await openSignedIn('/user/wallet/recharge/cd-key')
    await user.type(await field(), `${key}{Enter}`)
    expect(await screen.findByText(/You can try again in (40:00|39:5\d)/)).toBeVisible()
    expect(screen.getByRole('button', { name: 'Redeem' })).toBeDisabled()
  })

  it('asks again by the same name when the answer got lost', async () => {
    const names: (string | null)[] = []
    server.use(
      http.post(redeemPath, ({ request }) => {
        names.push(request.headers.get('Idempotency-Key'))
        return names.length === 1 ? HttpResponse.error() : success(redemption())
      }),
    )
    const { user } = await openSignedIn('/user/wallet/recharge/cd-key')
    await user.type(await field(), `${key}{Enter}`)
    expect(await screen.findByText(/safe to try again/)).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Redeem' }))
    expect(await screen.findByText(/Redeemed:/)).toBeVisible()
    expect(names[1]).toBe(names[0])
  })
})

describe('what was redeemed', () => {
  it('is listed with what it brought', async () => {
    has(
      redemption({ no: 3, kind: 'plan', plan_name: 'Standard', months: 1, days: 3 }),
      redemption({ no: 2, kind: 'traffic', bytes: 50 * GB, days: 30 }),
    )
    await openSignedIn('/user/wallet/recharge/cd-key')
    expect(await screen.findByText('Standard · 1 month · 3 days')).toBeVisible()
    expect(screen.getByText('50 GB · 30 days')).toBeVisible()
  })

  it('is nothing at first', async () => {
    await openSignedIn('/user/wallet/recharge/cd-key')
    expect(await screen.findByText('No cd-keys redeemed yet.')).toBeVisible()
  })

  it('can be asked for again', async () => {
    server.use(
      http.get(listPath, () => failure(409, { message: 'Not now', code: 'busy' }), { once: true }),
    )
    const { user } = await openSignedIn('/user/wallet/recharge/cd-key')
    await user.click(await screen.findByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('No cd-keys redeemed yet.')).toBeVisible()
  })
})
