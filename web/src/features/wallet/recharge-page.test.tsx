import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { GatewayItem, OrderItem, RechargeRecord } from '@/lib/api/gen/types.gen'
import {
  client,
  gateways,
  inDays,
  link,
  order,
  orderResult,
  recharge,
  wallet,
} from '@/test/fixtures'
import { openPayPage } from '@/lib/open-pay-page'
import { failure, notBanned, server, stillLoading, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

vi.mock('@/lib/open-pay-page', () => ({ openPayPage: vi.fn() }))

const createPath = '*/api/v2/user/wallet/recharge'
const statePath = '*/api/v2/user/wallet/recharge/:id'
const is = (change: Partial<RechargeRecord>) =>
  server.use(http.post(statePath, () => success(recharge(change))))

/** Each takes 10 at least; WeChat Pay has a fee of 0.50. */
const priced = (gateway: GatewayItem, amount: string): GatewayItem => {
  if (Number(amount) < 10) return gateway
  const fee = gateway.name === 'wechat' ? '0.50' : '0.00'
  const whole = (Number(amount) + Number(fee)).toFixed(2)
  return { ...gateway, charge: { amount, fee, pay_amount: whole, pay_currency: 'CNY' } }
}

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
})

beforeEach(() =>
  server.use(
    http.get('*/api/v2/user/wallet/gateways', ({ request }) => {
      const amount = new URL(request.url).searchParams.get('amount')
      return success(amount === null ? gateways : gateways.map((one) => priced(one, amount)))
    }),
    http.get('*/api/v2/user/wallet/recharge', () =>
      success({ created_at: inDays(-90), total_count: 0, recharge_records: [] }),
    ),
    http.get('*/api/v2/user/wallet', () => success(wallet())),
    notBanned,
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
    await user.click(await screen.findByRole('radio', { name: 'WeChat Pay' }))
    const sums = await screen.findByRole('region', { name: 'Summary' })
    await waitFor(() => expect(sums).toHaveTextContent('Fee¥0.50'))
    await user.click(screen.getByRole('button', { name: 'Pay ¥13.00' }))
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 31 }))
    await waitFor(() => expect(openPayPage).toHaveBeenCalledTimes(1))
    expect(sent).toEqual([
      {
        body: { amount: '12.50', gateway: 'wechat' },
        key: expect.stringMatching(/^[0-9a-f]{32}$/),
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

  it('says nothing of what it costs before the server did, and between which sums a gateway takes it', async () => {
    const { user } = await openSignedIn('/user/wallet/recharge/new')
    const amount = await screen.findByRole('textbox', { name: 'Amount' })
    await user.clear(amount)
    await user.type(amount, '5')
    expect(screen.getByRole('button', { name: 'Pay' })).toBeDisabled()
    expect(await screen.findAllByText(/^Takes /)).toHaveLength(2)
    expect(screen.getByRole('button', { name: 'Pay' })).toBeDisabled()
    expect(screen.getByRole('radio', { name: 'Alipay' })).toBeDisabled()
  })

  it('leads back to one that waits', async () => {
    server.use(
      http.get('*/api/v2/user/wallet/recharge', () =>
        success({ created_at: inDays(-9), total_count: 1, recharge_records: [recharge()] }),
      ),
    )
    await openSignedIn('/user/wallet/recharge/new')
    expect(await screen.findByRole('link', { name: 'Go on with it' })).toHaveAttribute(
      'href',
      expect.stringContaining('id=31'),
    )
  })

  it('puts what the server says of the amount at its field', async () => {
    const errors = [{ field: 'amount', code: 'range', message: 'Not that much today' }]
    server.use(
      http.post(createPath, () =>
        failure(422, { message: 'Check your input', code: 'invalid_input', errors }),
      ),
    )
    const { user } = await openSignedIn('/user/wallet/recharge/new')
    await user.click(await screen.findByRole('button', { name: 'Pay ¥50.00' }))
    expect(await screen.findByText('Not that much today')).toBeVisible()
    expect(screen.getByRole('textbox', { name: 'Amount' })).toBeInvalid()
  })

  it('keeps the key of an answer that got lost, so that another press makes no second recharge', async () => {
    const keys: (string | null)[] = []
    server.use(
      http.post(createPath, ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'))
        return keys.length === 1 ? HttpResponse.error() : success(recharge())
      }),
    )
    is({})
    const { user } = await openSignedIn('/user/wallet/recharge/new')
    const pay = await screen.findByRole('button', { name: 'Pay ¥50.00' })
    await user.click(pay)
    expect(await screen.findByRole('alert')).toHaveTextContent('safe to try again')
    await user.click(pay)
    await screen.findByRole('link', { name: 'Go and pay' })
    expect(keys[1]).toBe(keys[0])
  })

  it('is one recharge though it is begun in two tabs: the other shows how it goes on', async () => {
    const { router } = await openSignedIn('/user/wallet/recharge/new')
    await screen.findByRole('button', { name: 'Pay ¥50.00' })
    const tab = new BroadcastChannel('payment-results')
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
    tab.postMessage({ intention: 'recharge-50.00-alipay', rechargeNo: 31 })
    tab.close()
    await waitFor(() => expect(router.state.location.search).toEqual({ id: 31 }))
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

  it('says in words how to pay by hand, with the number to name', async () => {
    is({ pay_page: { kind: 'text', url: '', text: 'Transfer to account 123' } })
    await openSignedIn('/user/wallet/recharge/new?id=31')
    expect(await screen.findByText('Transfer to account 123')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Copy Payment number' })).toBeVisible()
  })

  it('says what of it is a fee', async () => {
    is({ fee: '0.50', pay_amount: '7.13', pay_currency: 'USD' })
    await openSignedIn('/user/wallet/recharge/new?id=31')
    expect(await screen.findByText('¥50.00 for your balance and a fee of ¥0.50')).toBeVisible()
    expect(screen.getByText('To pay').parentElement).toHaveTextContent('$7.13')
  })

  it('asks the gateway again when it was down', async () => {
    is({ pay_page: undefined })
    const { user } = await openSignedIn('/user/wallet/recharge/new?id=31')
    expect(await screen.findByRole('alert')).toHaveTextContent('Nothing was taken')
    is({})
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('link', { name: 'Go and pay' })).toBeVisible()
  })

  it('goes on looking when its time is up, since the server has the last word', async () => {
    is({ expires_at: inDays(-0.001) })
    await openSignedIn('/user/wallet/recharge/new?id=31')
    expect(await screen.findByText(/The time is up/)).toBeVisible()
    expect(screen.queryByRole('link', { name: 'Go and pay' })).not.toBeInTheDocument()
    is({ state: 'expired' })
    expect(await screen.findByText(/No payment came/)).toBeVisible()
  })

  it('names the day instead of counting down where there are days to pay', async () => {
    const end = inDays(2)
    is({ expires_at: end })
    await openSignedIn('/user/wallet/recharge/new?id=31')
    const day = await screen.findByText(/^Pay by/)
    expect(within(day).getByRole('time')).toHaveAttribute('datetime', end)
    expect(screen.queryByText(/Time left/)).not.toBeInTheDocument()
  })

  it('takes the time from the server, where the clock of this device is wrong', async () => {
    server.use(
      http.post(statePath, () =>
        HttpResponse.json(
          { is_success: true, result: recharge({ expires_at: inDays(-0.02) }) },
          { headers: { Date: new Date(inDays(-0.03)).toUTCString() } },
        ),
      ),
    )
    await openSignedIn('/user/wallet/recharge/new?id=31')
    expect(await screen.findByRole('link', { name: 'Go and pay' })).toBeVisible()
    expect(screen.getByText(/^14:\d\d$/)).toBeVisible()
  })

  it('tells by itself when it was paid', async () => {
    let isPaid = false
    server.use(
      http.post(statePath, () => success(recharge({ state: isPaid ? 'paid' : 'pending' }))),
    )
    await openSignedIn('/user/wallet/recharge/new?id=31')
    await screen.findByRole('link', { name: 'Go and pay' })
    isPaid = true
    expect(await screen.findByText('The money is in your balance.')).toBeVisible()
    expect(await screen.findByText('Available balance now')).toHaveTextContent('¥128.50')
    expect(screen.getByRole('link', { name: 'See wallet' })).toBeVisible()
  })

  it('can be given up together with the purchase it is for', async () => {
    let cancelled: unknown
    is({ order_no: 77, order: order({ state: 'pending' }) })
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

  it('can be given up where it is for the balance alone', async () => {
    let cancelled: unknown
    is({})
    server.use(
      http.post('*/api/v2/user/wallet/recharge/:id/cancel', ({ params }) => {
        cancelled = params.id
        return success(recharge({ state: 'expired' }))
      }),
    )
    const { router, user } = await openSignedIn('/user/wallet/recharge/new?id=31')
    await user.click(await screen.findByRole('button', { name: 'Cancel this top-up' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/wallet'))
    expect(cancelled).toBe('31')
  })
})

describe('a recharge for a purchase', () => {
  const bought = order({ name: 'Pro', months: 12, coupon: 'SPRING', discount: '6.00' })
  const paid = (change: Partial<OrderItem>) =>
    is({ state: 'paid', order_no: 77, order: { ...bought, ...change } })

  it('says what is paid for', async () => {
    is({ order_no: 77, order: { ...bought, state: 'pending' } })
    await openSignedIn('/user/wallet/recharge/new?id=31')
    expect(await screen.findByRole('heading', { name: 'Pay for your order' })).toBeVisible()
    expect(screen.getByText('Pro · 12 months')).toBeVisible()
  })

  it.each([
    [{}, 'Bought: Pro · 12 months'],
    [{ kind: 'package', name: '50 GB more', months: 0, ends_at: null }, 'Bought: 50 GB more'],
    [{ kind: 'renewal', ends_at: '2030-02-26T04:00:00Z' }, 'Renewed until Feb 26, 2030'],
    [{ replaces: 'Standard', change_service_id: 11 }, 'Changed: Standard → Pro'],
  ] as const)('says what came of it: %j', async (change, text) => {
    server.use(
      http.get('*/api/v2/user/services/link-token/link-token', () => success(link())),
      http.get('*/api/v2/user/services/clients', () => success([client()])),
    )
    paid(change)
    await openSignedIn('/user/wallet/recharge/new?id=31')
    expect(await screen.findByText(text)).toBeVisible()
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Paid')
    expect(screen.getByText('Paid', { selector: 'dt' }).parentElement).toHaveTextContent('¥30.00')
    expect(screen.getByRole('link', { name: 'Connect a device' })).toBeVisible()
  })

  it('says in Chinese what is paid for', async () => {
    is({ order_no: 77, order: { ...bought, state: 'pending' } })
    await openSignedIn('/user/wallet/recharge/new?id=31', 'zh-CN')
    expect(await screen.findByRole('heading', { name: '支付订单' })).toBeVisible()
    expect(screen.getByText('Pro · 12 个月')).toBeVisible()
  })

  it('says in Chinese until when a service was renewed', async () => {
    server.use(
      http.get('*/api/v2/user/services/link-token/link-token', () => success(link())),
      http.get('*/api/v2/user/services/clients', () => success([client()])),
    )
    paid({ kind: 'renewal', ends_at: '2030-02-26T04:00:00Z' })
    await openSignedIn('/user/wallet/recharge/new?id=31', 'zh-CN')
    expect(await screen.findByText('续费成功，到 2030年2月26日')).toBeVisible()
  })

  it('that completes a moment later is looked at until then, and has the focus', async () => {
    let looks = 0
    server.use(
      http.post(statePath, () => {
        const state = ++looks < 3 ? 'pending' : 'paid'
        return success(
          recharge({
            state: looks < 2 ? 'pending' : 'paid',
            order: { ...bought, kind: 'renewal', state },
          }),
        )
      }),
    )
    await openSignedIn('/user/wallet/recharge/new?id=31')
    const way = await screen.findByRole('link', { name: 'Go and pay' })
    way.focus()
    expect(await screen.findByText(/^Renewed until/)).toBeVisible()
    await waitFor(() => expect(screen.getByRole('heading', { level: 1 })).toHaveFocus())
  })

  it.each([
    ['failed', 'pending', ['77']],
    ['expired', 'expired', []],
  ] as const)(
    'that %s is paid for again with the same plan, period, coupon and service',
    async (state, orderState, wantCancelled) => {
      const cancelled: unknown[] = []
      is({ state, order_no: 77, order: { ...bought, state: orderState, change_service_id: 11 } })
      server.use(
        http.post('*/api/v2/user/orders/:id/cancel', ({ params }) => {
          cancelled.push(params.id)
          return success(orderResult({ order: order({ state: 'cancelled' }) }))
        }),
      )
      const { router, user } = await openSignedIn('/user/wallet/recharge/new?id=31')
      await user.click(await screen.findByRole('button', { name: 'Pay again' }))
      await waitFor(() => expect(router.state.location.pathname).toBe('/user/services/buy'))
      expect(router.state.location.search).toEqual({
        kind: 'plan',
        plan: 2,
        months: 12,
        coupon: 'SPRING',
        change: 11,
        again: 77,
      })
      expect(cancelled).toEqual(wantCancelled)
    },
  )

  it('that was paid meanwhile in another tab is not given up, but shown', async () => {
    is({ order_no: 77, order: { ...bought, state: 'pending', kind: 'renewal' } })
    server.use(
      http.post('*/api/v2/user/orders/:id/cancel', () =>
        failure(409, { message: 'Not pending', code: 'order_not_pending' }),
      ),
    )
    const { user } = await openSignedIn('/user/wallet/recharge/new?id=31')
    const other = await screen.findByRole('button', { name: 'Another way to pay' })
    paid({ kind: 'renewal' })
    await user.click(other)
    expect(await screen.findByText(/^Renewed until/)).toBeVisible()
  })

  it('whose order ended before the money came says where that is', async () => {
    paid({ state: 'expired' })
    await openSignedIn('/user/wallet/recharge/new?id=31')
    expect(await screen.findByText(/The order expired, the money stays/)).toBeVisible()
    expect(screen.getByRole('button', { name: 'Buy it from the balance' })).toBeVisible()
  })
})

describe('a recharge that is over', () => {
  it.each([
    ['expired', 'No payment came before it ended'],
    ['failed', 'Nothing was taken'],
    ['refunded', 'The money went back'],
  ] as const)(
    'because it %s says what that means, and is begun again for as much',
    async (...has) => {
      const [state, text] = has
      is({ state, money_amount: '12.50' })
      const { user } = await openSignedIn('/user/wallet/recharge/new?id=31')
      expect(await screen.findByText(new RegExp(text))).toBeVisible()
      await user.click(screen.getByRole('link', { name: 'Pay again' }))
      expect(await screen.findByRole('textbox', { name: 'Amount' })).toHaveValue('12.50')
    },
  )

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
