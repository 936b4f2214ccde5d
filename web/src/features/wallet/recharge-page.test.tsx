import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import type { RechargeRecord } from '@/api/gen/types.gen'
import { gateways, order, orderResult, recharge, wallet } from '@/test/fixtures'
import { failure, server, stillLoading, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const createPath = '*/api/v2/user/wallet/recharge'
const statePath = '*/api/v2/user/wallet/recharge/:id'
const is = (change: Partial<RechargeRecord>) =>
  server.use(http.post(statePath, () => success(recharge(change))))

beforeEach(() =>
  server.use(
    http.get('*/api/v2/user/wallet/gateways', () => success(gateways)),
    http.get('*/api/v2/user/wallet', () => success(wallet())),
    stillLoading,
  ),
)

describe('beginning a recharge', () => {
  it('sends the amount and the way to pay, and goes on at an address of its own', async () => {
    const sent: { body: unknown; key: string | null }[] = []
    server.use(
      http.post(createPath, async ({ request }) => {
        sent.push({ body: await request.json(), key: request.headers.get('Idempotency-Key') })
        return success(recharge())
      }),
    )
    is({})
    const { router, user } = await openSignedIn('/user/wallet/recharge/new')
    const amount = await screen.findByRole('textbox', { name: 'Amount' })
    await user.clear(amount)
    await user.type(amount, '12,5')
    expect(await screen.findByText('With this top-up')).toBeVisible()
    await user.click(await screen.findByRole('radio', { name: 'WeChat Pay' }))
    await user.click(screen.getByRole('button', { name: 'Pay ¥12.50' }))
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 31 }))
    expect(sent).toEqual([
      {
        body: { amount: '12.50', gateway: 'wechat' },
        key: expect.stringMatching(/-12\.50-wechat$/),
      },
    ])
  })

  it('takes a usual amount with one press', async () => {
    const { user } = await openSignedIn('/user/wallet/recharge/new')
    const amount = await screen.findByRole('textbox', { name: 'Amount' })
    await user.clear(amount)
    await user.click(screen.getByRole('radio', { name: '¥50.00' }))
    expect(amount).toHaveValue('50.00')
  })

  it('says at the field what is wrong, without asking the server', async () => {
    const { user } = await openSignedIn('/user/wallet/recharge/new')
    const amount = await screen.findByRole('textbox', { name: 'Amount' })
    await user.clear(amount)
    await user.type(amount, '0.5{Enter}')
    expect(await screen.findByText('At least ¥1.00')).toBeVisible()
    expect(amount).toBeInvalid()
  })

  it('shows the server’s refusal', async () => {
    server.use(
      http.post(createPath, () =>
        failure(409, { message: 'Too many recharges wait', code: 'many' }),
      ),
    )
    const { user } = await openSignedIn('/user/wallet/recharge/new')
    await user.click(await screen.findByRole('button', { name: 'Pay ¥50.00' }))
    expect(await screen.findByRole('alert')).toHaveTextContent('Too many recharges wait')
  })
})

describe('a recharge that waits', () => {
  it('leads to the gateway’s page and says how long there is time', async () => {
    is({})
    await openSignedIn('/user/wallet/recharge/new?id=31')
    expect(await screen.findByRole('link', { name: 'Go and pay' })).toHaveAttribute(
      'href',
      'https://pay.example.com/31',
    )
    expect(screen.getByText(/^2\d:\d\d$/)).toBeVisible()
    expect(screen.getByText(/Waiting for your payment/)).toBeVisible()
  })

  it('shows a code to scan', async () => {
    is({ pay_page: { kind: 'qrcode', url: 'alipay://31' } })
    await openSignedIn('/user/wallet/recharge/new?id=31')
    expect(await screen.findByRole('img', { name: 'Payment code' })).toBeVisible()
  })

  it('tells by itself when it was paid', async () => {
    let isPaid = false
    server.use(
      http.post(statePath, () => success(recharge({ state: isPaid ? 'paid' : 'pending' }))),
    )
    await openSignedIn('/user/wallet/recharge/new?id=31')
    await screen.findByRole('link', { name: 'Go and pay' })
    isPaid = true
    expect(
      await screen.findByText('The money is in your balance.', {}, { timeout: 4000 }),
    ).toBeVisible()
    expect(screen.getByRole('link', { name: 'See wallet' })).toBeVisible()
  })

  it('can be given up together with the purchase it is for', async () => {
    let cancelled: unknown
    is({ order_no: 77 })
    server.use(
      http.post('*/api/v2/user/orders/:id/cancel', ({ params }) => {
        cancelled = params.id
        return success(orderResult({ order: order({ state: 'cancelled' }) }))
      }),
    )
    const { router, user } = await openSignedIn('/user/wallet/recharge/new?id=31')
    await user.click(await screen.findByRole('button', { name: 'Cancel this purchase' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/services/buy'))
    expect(cancelled).toBe('77')
  })
})

describe('a recharge that is over', () => {
  it('for a purchase says that this is complete', async () => {
    is({ state: 'paid', order_no: 77 })
    server.use(http.get('*/api/v2/user/orders/77', () => success(orderResult())))
    await openSignedIn('/user/wallet/recharge/new?id=31')
    expect(await screen.findByText('Purchase complete: Standard')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Connect a device' })).toBeVisible()
  })

  it.each([
    ['expired', 'This was not paid in time'],
    ['failed', 'Nothing was taken'],
    ['refunded', 'The money went back'],
  ] as const)('because it %s says what that means', async (state, text) => {
    is({ state })
    await openSignedIn('/user/wallet/recharge/new?id=31')
    expect(await screen.findByText(new RegExp(text))).toBeVisible()
    expect(screen.getByRole('link', { name: 'Start again' })).toBeVisible()
  })

  it('or never was: says so', async () => {
    server.use(
      http.post(statePath, () =>
        failure(404, { message: 'There is no such recharge', code: 'recharge_not_found' }),
      ),
    )
    await openSignedIn('/user/wallet/recharge/new?id=9')
    expect(await screen.findByText('There is no such recharge')).toBeVisible()
    expect(screen.getByText('req-1')).toBeVisible()
  })
})
