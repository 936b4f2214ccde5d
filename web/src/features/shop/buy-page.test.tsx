import { cleanup, screen, waitFor } from '@testing-library/react'
import { delay, http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { gateways, lightPlan, order, orderResult, plan, quote, recharge } from '@/test/fixtures'
import { openPayPage } from '@/lib/open-pay-page'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { charge, confirmPath, openShop, summary } from './shop-test'

vi.mock('@/lib/open-pay-page', () => ({ openPayPage: vi.fn() }))

beforeEach(openShop)

/** A shop where the balance of 10.00 does not cover the price. */
const shortOfMoney = http.post('*/api/v2/user/shop-old/:id/pre-order', () =>
  success(
    quote({
      balance: '10.00',
      balance_used: '10.00',
      missing: '20.00',
      recharge_amount: '20.00',
    }),
  ),
)

describe('the shop', () => {
  it('shows plans side by side, and says once what they share', async () => {
    await openSignedIn('/user/services/buy')
    expect(await screen.findByRole('radio', { name: 'Light' })).toBeChecked()
    expect(screen.getByRole('radio', { name: 'Standard' })).toHaveAccessibleDescription(
      /300 GB.*5 devices/,
    )
    expect(screen.getAllByText('Up to 300 Mbps')).toHaveLength(1)
    expect(screen.getByRole('radio', { name: 'Pro' })).toBeDisabled()
    expect(screen.getByText('Sold out')).toBeVisible()
  })

  it('keeps the choice in the address', async () => {
    const { router, user } = await openSignedIn('/user/services/buy')
    await user.click(await screen.findByRole('radio', { name: 'Standard' }))
    await user.click(screen.getByRole('radio', { name: /12 months.*save 20%/ }))
    await waitFor(() => expect(router.state.location.search).toMatchObject({ plan: 2, months: 12 }))
    expect(await screen.findByText('Standard · 12 months')).toBeVisible()
    expect(screen.getByRole('radio', { name: 'Light' })).toBeDisabled()
  })

  it('sets apart a name that is written from right to left from the period after it', async () => {
    const name = 'Family خطة العائلة'
    server.use(http.get('*/api/v2/user/shop/plans', () => success([plan({ name })])))
    await openSignedIn('/user/services/buy?plan=2')
    expect(await (await summary()).findByText(`\u2068${name}\u2069 · 1 month`)).toBeVisible()
  })

  it('says what each period saves with the chosen plan', async () => {
    const prices = [
      { shop_id: 10, months: 1, amount: '15.00' },
      { shop_id: 11, months: 12, amount: '162.00' },
    ]
    server.use(http.get('*/api/v2/user/shop/plans', () => success([lightPlan({ prices }), plan()])))
    const { user } = await openSignedIn('/user/services/buy?plan=1')
    expect(await screen.findByRole('radio', { name: /12 months.*save 10%/ })).toBeVisible()
    await user.click(screen.getByRole('radio', { name: 'Standard' }))
    expect(await screen.findByRole('radio', { name: /12 months.*save 20%/ })).toBeVisible()
  })

  it('has packages too', async () => {
    const { user } = await openSignedIn('/user/services/buy')
    await screen.findByRole('radio', { name: 'Light' })
    await user.click(screen.getByRole('radio', { name: 'Packages' }))
    expect(await screen.findByRole('radio', { name: '50 GB more' })).toBeChecked()
    expect(screen.getByText('Until it is used up')).toBeVisible()
  })

  it('says when nothing is on sale', async () => {
    server.use(http.get('*/api/v2/user/shop/plans', () => success([])))
    await openSignedIn('/user/services/buy')
    expect(await screen.findByText(/No plans are on sale/)).toBeVisible()
  })

  it('says what could not be loaded, and tries again', async () => {
    server.use(
      http.get(
        '*/api/v2/user/shop/plans',
        () => failure(409, { message: 'The shop is shut', code: 'shut' }),
        { once: true },
      ),
    )
    const { user } = await openSignedIn('/user/services/buy')
    expect(await screen.findByText('The shop is shut')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('radio', { name: 'Light' })).toBeVisible()
  })
})

describe('buying from the balance', () => {
  it('takes one press, and says what to do next', async () => {
    server.use(http.post(confirmPath, () => success(orderResult())))
    const { user } = await openSignedIn('/user/services/buy?plan=2')
    const bill = await summary()
    expect(await bill.findByText('Balance afterwards')).toBeVisible()
    await user.click(bill.getByRole('button', { name: 'Pay ¥30.00 from balance' }))
    expect(await screen.findByRole('heading', { name: 'Done' })).toBeVisible()
    expect(screen.getByRole('link', { name: 'Connect a device' })).toBeVisible()
  })

  it('shows no balance from before it when one buys more', async () => {
    server.use(http.post(confirmPath, () => success(orderResult())))
    const { user } = await openSignedIn('/user/services/buy?plan=2')
    await user.click(await (await summary()).findByRole('button', { name: /from balance/ }))
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    server.use(
      http.post('*/api/v2/user/shop-old/:id/pre-order', async () => {
        await answered
        return success(quote({ balance: '70.00' }))
      }),
    )
    await user.click(await screen.findByRole('button', { name: 'Buy more' }))
    const bill = await summary()
    expect(bill.queryByText('Balance afterwards')).not.toBeInTheDocument()
    answer()
    expect(await bill.findByText('¥40.00')).toBeVisible()
  })

  it('is still told of after a reload', async () => {
    server.use(http.post(confirmPath, () => success(orderResult())))
    const { user, router } = await openSignedIn('/user/services/buy?plan=2')
    await user.click(await (await summary()).findByRole('button', { name: /from balance/ }))
    expect(await screen.findByRole('heading', { name: 'Done' })).toBeVisible()
    expect(router.state.location.search).toEqual({ kind: 'plan', done: 77 })
    expect(router.history.length).toBe(2)
    cleanup()
    server.use(http.get('*/api/v2/user/orders/77', () => success(orderResult())))
    await openSignedIn('/user/services/buy?done=77')
    expect(await screen.findByText('Bought: Standard · 1 month')).toBeVisible()
  })

  it.each([
    ['that is unknown', failure(404, { message: 'There is no such order', code: 'not_found' })],
    ['that is not paid', success(orderResult({ order: order({ state: 'pending' }) }))],
  ])('is not told of for an order %s', async (_, answer) => {
    server.use(http.get('*/api/v2/user/orders/5', () => answer))
    await openSignedIn('/user/services/buy?done=5')
    expect(await screen.findByText(/There is no such purchase/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'My services' })).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Try again' })).not.toBeInTheDocument()
  })

  it('is one purchase however often the button is pressed', async () => {
    const keys: (string | null)[] = []
    server.use(
      http.post(confirmPath, async ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'))
        if (keys.length === 1) return failure(409, { message: 'Too busy', code: 'busy' })
        await delay(30)
        return success(orderResult())
      }),
    )
    const { user } = await openSignedIn('/user/services/buy?plan=2')
    const button = await (await summary()).findByRole('button', { name: /from balance/ })
    await user.click(button)
    expect(await screen.findByRole('alert')).toHaveTextContent('Too busy')
    await user.dblClick(button)
    expect(await screen.findByRole('heading', { name: 'Done' })).toBeVisible()
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBe(keys[1])
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
  })

  it('says where an earlier try, whose answer was lost, has bought already', async () => {
    const said = 'An earlier try had arrived: it was done then, and nothing was done again.'
    const again = success(orderResult())
    again.headers.set('Idempotent-Replayed', 'true')
    server.use(http.post(confirmPath, () => success(orderResult())))
    const { user, router } = await openSignedIn('/user/services/buy?plan=2')
    await user.click(await (await summary()).findByRole('button', { name: /from balance/ }))
    expect(await screen.findByRole('heading', { name: 'Done' })).toBeVisible()
    expect(screen.queryByText(said)).not.toBeInTheDocument()
    server.use(http.post(confirmPath, () => again))
    await router.navigate({ href: '/user/services/buy?plan=2' })
    await user.click(await (await summary()).findByRole('button', { name: /from balance/ }))
    expect(await screen.findByText(said)).toBeVisible()
  })

  it('is one purchase though it is pressed in two tabs', async () => {
    const keys: (string | null)[] = []
    server.use(
      http.post(confirmPath, ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'))
        return HttpResponse.error()
      }),
    )
    const press = async () => {
      const { user } = await openSignedIn('/user/services/buy?plan=2')
      const form = await summary()
      await user.click(await form.findByRole('button', { name: /from balance/ }))
      expect(await form.findByRole('alert')).toBeVisible()
      cleanup()
    }
    await press()
    sessionStorage.clear() // another tab has its own
    await press()
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBe(keys[1])
  })

  it.each([
    ['paid', '?plan=2', { orderNo: 78 }, '/user/services/buy', { done: 78 }],
    ['begun', '?plan=2', { rechargeNo: 31 }, '/user/wallet/recharge/new', { id: 31 }],
    ['paid, of another plan,', '?plan=1', { orderNo: 78 }, '', { plan: 1 }],
  ])('that another tab has %s shows its result here', async (...given) => {
    const [, search, result, path, shown] = given
    const { router } = await openSignedIn(`/user/services/buy${search}`)
    await (await summary()).findByRole('button', { name: /from balance/ })
    const tab = new BroadcastChannel('payment-results')
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
    tab.postMessage({ intention: '20 {}', ...result })
    tab.close()
    await waitFor(() => expect(router.state.location.search).toMatchObject(shown))
    await delay(20)
    expect(router.state.location.pathname).toBe(path || '/user/services/buy')
    expect(router.state.location.search).toMatchObject(shown)
  })

  it('whose answer was lost is asked for again as it was, though the balance is a lower one now', async () => {
    const sent: unknown[] = []
    server.use(
      http.post('*/api/v2/user/shop-old/:id/pre-order', () =>
        success(
          sent.length === 0
            ? quote()
            : quote({ balance: '10.00', balance_used: '10.00', missing: '20.00' }),
        ),
      ),
      http.post(confirmPath, async ({ request }) => {
        sent.push([request.headers.get('Idempotency-Key'), await request.json()])
        return sent.length === 1 ? HttpResponse.error() : success(orderResult())
      }),
    )
    const { user } = await openSignedIn('/user/services/buy?plan=2')
    const bill = await summary()
    await user.click(await bill.findByRole('button', { name: /from balance/ }))
    expect(await bill.findByRole('alert')).toHaveTextContent('safe to try again')
    window.dispatchEvent(new Event('visibilitychange'))
    await delay(30)
    await user.click(bill.getByRole('button', { name: /^Pay/ }))
    expect(await screen.findByRole('heading', { name: 'Done' })).toBeVisible()
    expect(sent).toHaveLength(2)
    expect(sent[1]).toEqual(sent[0])
  })

  it('that was done at another price, before a reload, is told of, and then bought once more', async () => {
    const keys: (string | null)[] = []
    server.use(
      http.post(confirmPath, ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'))
        return keys.length === 1
          ? failure(422, { message: 'It was done already', code: 'idempotency_key_reused' })
          : success(orderResult())
      }),
    )
    const { user } = await openSignedIn('/user/services/buy?plan=2')
    const bill = await summary()
    await user.click(await bill.findByRole('button', { name: /from balance/ }))
    expect(await bill.findByRole('alert')).toHaveTextContent('It was done already')
    await user.click(await bill.findByRole('button', { name: /from balance/ }))
    expect(await screen.findByRole('heading', { name: 'Done' })).toBeVisible()
    expect(keys[1]).not.toBe(keys[0])
  })

  it('of what sells out meanwhile says so, and chooses nothing else instead', async () => {
    let isGone = false
    const soldOut = () => failure(409, { message: 'This is sold out', code: 'sold_out' })
    server.use(
      http.get('*/api/v2/user/shop/plans', () =>
        success([lightPlan({ stock: isGone ? 0 : 1 }), plan()]),
      ),
      http.post('*/api/v2/user/shop-old/:id/pre-order', () =>
        isGone ? soldOut() : success(quote({ shop_id: 10 })),
      ),
      http.post(confirmPath, () => {
        isGone = true
        return soldOut()
      }),
    )
    const { user } = await openSignedIn('/user/services/buy')
    const bill = await summary()
    await user.click(await bill.findByRole('button', { name: /from balance/ }))
    expect(await screen.findByText('Sold out')).toBeVisible()
    expect(await bill.findByText('This is sold out')).toBeVisible()
    expect(screen.getByRole('radio', { name: 'Light' })).toBeChecked()
    expect(bill.queryByRole('button', { name: /Pay/ })).not.toBeInTheDocument()
  })

  it('shows the new price everywhere where it has changed meanwhile', async () => {
    let amount = '30.00'
    const prices = () => [{ shop_id: 20, months: 1, amount }]
    server.use(
      http.get('*/api/v2/user/shop/plans', () => success([plan({ prices: prices() })])),
      http.post('*/api/v2/user/shop-old/:id/pre-order', () =>
        success(quote({ price: amount, amount, balance_used: amount })),
      ),
      http.post(confirmPath, () => {
        amount = '35.00'
        return failure(409, { message: 'The price has changed', code: 'price_changed' })
      }),
    )
    const { user } = await openSignedIn('/user/services/buy')
    const bill = await summary()
    await user.click(await bill.findByRole('button', { name: 'Pay ¥30.00 from balance' }))
    expect(await bill.findByRole('button', { name: 'Pay ¥35.00 from balance' })).toBeEnabled()
    await waitFor(() => expect(screen.queryByText('30')).not.toBeInTheDocument())
    expect(bill.getByRole('alert')).toHaveTextContent('The price has changed')
  })

  it('says why it cannot be', async () => {
    server.use(
      http.post('*/api/v2/user/shop-old/:id/pre-order', () =>
        failure(409, { message: 'You have bought this as often as one may', code: 'limit' }),
      ),
    )
    await openSignedIn('/user/services/buy?plan=2')
    expect(await screen.findByText('You have bought this as often as one may')).toBeVisible()
    expect(screen.queryByRole('button', { name: /Pay/ })).not.toBeInTheDocument()
  })
})

describe('buying with too little balance', () => {
  it('asks for the rest through a gateway, and leads to where it is paid', async () => {
    let sent: unknown
    const forOrder = { order_no: 77, order: order({ state: 'pending' }) }
    server.use(
      shortOfMoney,
      http.post(confirmPath, async ({ request }) => {
        sent = await request.json()
        return success(
          orderResult({
            order: order({ state: 'pending' }),
            recharge: recharge({ no: 31, money_amount: '20.00', ...forOrder }),
          }),
        )
      }),
      http.post('*/api/v2/user/wallet/recharge/:id', () =>
        success(recharge({ no: 31, money_amount: '20.00', ...forOrder })),
      ),
    )
    const { router, user } = await openSignedIn('/user/services/buy?plan=2')
    const bill = await summary()
    expect(await bill.findByText('-¥10.00')).toBeVisible()
    await user.click(await bill.findByRole('radio', { name: 'WeChat Pay' }))
    await user.click(bill.getByRole('button', { name: 'Pay ¥20.00' }))
    await waitFor(() => expect(router.state.location.href).toBe('/user/wallet/recharge/new?id=31'))
    expect(sent).toEqual({ gateway: 'wechat', expected_amount: '30.00' })
    expect(await screen.findByText('Left to pay for your purchase')).toBeVisible()
    expect(localStorage.getItem('last_gateway')).toBe('wechat')
    expect(vi.mocked(openPayPage).mock.calls.map(([{ no }]) => no)).toEqual([31])
  })

  it('starts with the gateway that was used last', async () => {
    localStorage.setItem('last_gateway', 'wechat')
    server.use(shortOfMoney)
    await openSignedIn('/user/services/buy?plan=2')
    expect(await screen.findByRole('radio', { name: 'WeChat Pay' })).toBeChecked()
  })

  it('says so where there is no way to pay', async () => {
    server.use(
      shortOfMoney,
      http.get('*/api/v2/user/wallet/gateways', () => success([])),
    )
    await openSignedIn('/user/services/buy?plan=2')
    expect(await screen.findByText(/no way to pay right now/)).toBeVisible()
    expect(screen.getByRole('button', { name: 'Pay ¥20.00' })).toBeDisabled()
  })
})

describe('the ways to pay', () => {
  it('say what they take and what stays in the balance, and which ones do not fit', async () => {
    let asked: string | null = null
    server.use(
      shortOfMoney,
      http.get('*/api/v2/user/wallet/gateways', ({ request }) => {
        asked = new URL(request.url).searchParams.get('missing')
        const fee = charge({
          amount: '25.00',
          fee: '0.50',
          pay_amount: '3.64',
          pay_currency: 'USD',
        })
        return success([gateways[0], { ...gateways[1], charge: fee }])
      }),
    )
    await openSignedIn('/user/services/buy?plan=2')
    const bill = await summary()
    expect(await bill.findByRole('radio', { name: 'Alipay' })).toBeDisabled()
    expect(bill.getByText('Takes ¥1.00 to ¥100,000.00')).toBeVisible()
    expect(bill.getByRole('radio', { name: 'WeChat Pay' })).toBeChecked()
    expect(bill.getByText('with a fee of ¥0.50')).toBeVisible()
    expect(bill.getByText('Stays in your balance').parentElement).toHaveTextContent('¥5.00')
    expect(bill.getByRole('button', { name: 'Pay $3.64' })).toBeEnabled()
    expect(asked).toBe('20.00')
  })
})

describe('a coupon', () => {
  const shop = http.post('*/api/v2/user/shop-old/:id/pre-order', async ({ request, params }) => {
    const { coupon } = (await request.json()) as { coupon?: string }
    if (coupon === 'SPRING') {
      return success(quote({ discount: '6.00', amount: '24.00', balance_used: '24.00' }))
    }
    if (coupon === undefined) return success(quote({ shop_id: Number(params.id) }))
    return failure(422, {
      message: 'Some fields are wrong',
      code: 'invalid',
      errors: [{ field: 'coupon', code: 'unknown', message: 'There is no such coupon' }],
    })
  })

  async function enter(code: string) {
    const opened = await openSignedIn('/user/services/buy?plan=2')
    const bill = await summary()
    await opened.user.click(await bill.findByRole('button', { name: 'Have a coupon?' }))
    await opened.user.type(await bill.findByLabelText('Coupon'), `${code}{Enter}`)
    return { ...opened, bill }
  }

  it('lowers what is paid, and is in the purchase', async () => {
    let sent: unknown
    server.use(
      shop,
      http.post(confirmPath, async ({ request }) => {
        sent = await request.json()
        return success(orderResult({ order: order({ amount: '24.00' }) }))
      }),
    )
    const { user, bill, router } = await enter('SPRING')
    const pay = await bill.findByRole('button', { name: 'Pay ¥24.00 from balance' })
    expect(router.state.location.search).toMatchObject({ coupon: 'SPRING' })
    await user.click(pay)
    expect(await screen.findByRole('heading', { name: 'Done' })).toBeVisible()
    expect(sent).toEqual({ coupon: 'SPRING', expected_amount: '24.00' })
  })

  it('that is refused says why at its field, and that the full price is without it', async () => {
    server.use(shop)
    const { bill } = await enter('NONE')
    expect(await bill.findByText('There is no such coupon')).toBeVisible()
    expect(bill.getByLabelText('Coupon')).toBeInvalid()
    const pay = bill.getByRole('button', { name: /^Pay/ })
    expect(pay).toHaveTextContent('Pay ¥30.00 from balance without the coupon')
  })

  it('that could not be looked up is looked up again', async () => {
    let isDown = true
    server.use(
      http.post('*/api/v2/user/shop-old/:id/pre-order', async ({ request }) => {
        const { coupon } = (await request.json()) as { coupon?: string }
        if (coupon === undefined) return success(quote())
        return isDown
          ? failure(409, { message: 'Not now', code: 'busy' })
          : success(quote({ discount: '6.00', amount: '24.00' }))
      }),
    )
    const { user, bill } = await enter('SPRING')
    expect(await bill.findByText('Not now')).toBeVisible()
    isDown = false
    await user.click(bill.getByRole('button', { name: 'Apply' }))
    expect(await bill.findByRole('button', { name: 'Pay ¥24.00 from balance' })).toBeEnabled()
    expect(bill.queryByText('Not now')).not.toBeInTheDocument()
  })

  it('can be taken away again', async () => {
    server.use(shop)
    const { user, bill } = await enter('SPRING')
    expect(bill.getByLabelText('Coupon')).toHaveFocus()
    await user.click(await bill.findByRole('button', { name: 'Remove' }))
    expect(bill.getByLabelText('Coupon')).toHaveFocus()
    expect(await bill.findByRole('button', { name: 'Pay ¥30.00 from balance' })).toBeEnabled()
  })

  it('that somebody else used up meanwhile says so at its field', async () => {
    let isGone = false
    server.use(
      http.post('*/api/v2/user/shop-old/:id/pre-order', async ({ request }) => {
        const { coupon } = (await request.json()) as { coupon?: string }
        if (coupon && isGone) return usedUp()
        return success(coupon ? quote({ discount: '6.00', amount: '24.00' }) : quote())
      }),
      http.post(confirmPath, () => {
        isGone = true
        return usedUp()
      }),
    )
    const { user, bill } = await enter('SPRING')
    await user.click(await bill.findByRole('button', { name: 'Pay ¥24.00 from balance' }))
    // The bill that is asked for anew replaces the message's element.
    await waitFor(() => expect(bill.getByText('Used up')).toBeVisible())
    const pay = bill.getByRole('button', { name: /^Pay/ })
    expect(pay).toHaveTextContent('Pay ¥30.00 from balance without the coupon')
    expect(bill.getAllByText('Used up')).toHaveLength(1)
    expect(bill.queryByText('Some fields are wrong')).not.toBeInTheDocument()
  })

  const usedUp = () =>
    failure(422, {
      message: 'Some fields are wrong',
      code: 'invalid',
      errors: [{ field: 'coupon', code: 'used_up', message: 'Used up' }],
    })
})

describe('a purchase that waits for its payment', () => {
  const waiting = recharge({
    no: 31,
    state: 'failed',
    order: order({ state: 'pending' }),
    pay_amount: '20.00',
  })

  it.each(['/user/services/buy', '/user/shop-old/payment?shop=20'])(
    'is gone on with from %s rather than made again',
    async (page) => {
      server.use(
        http.get('*/api/v2/user/wallet/recharge', () =>
          success({ created_at: waiting.created_at, recharge_records: [waiting], total_count: 1 }),
        ),
      )
      await openSignedIn(page)
      expect(await screen.findByText(/Standard · 1 month still waits/)).toHaveTextContent('¥20.00')
      expect(screen.getByRole('link', { name: 'Go on with it' })).toHaveAttribute(
        'href',
        '/user/wallet/recharge/new?id=31',
      )
    },
  )
})

describe('a limit per user', () => {
  it('is said, and what was bought as often cannot be chosen', async () => {
    server.use(
      http.get('*/api/v2/user/shop/plans', () =>
        success([lightPlan({ per_user: 2, bought: 1 }), plan({ per_user: 1, bought: 1 })]),
      ),
    )
    await openSignedIn('/user/services/buy?plan=2')
    expect(await screen.findByRole('radio', { name: 'Light' })).not.toBeChecked()
    expect(screen.getByText('2 per person')).toBeVisible()
    expect(screen.getByRole('radio', { name: 'Standard' })).toBeDisabled()
    expect(screen.getByText('You have bought this as often as one may')).toBeVisible()
  })
})
