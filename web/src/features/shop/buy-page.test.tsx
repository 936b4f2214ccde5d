import { screen, waitFor, within } from '@testing-library/react'
import { delay, http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  gateways,
  lightPlan,
  order,
  orderResult,
  plan,
  quote,
  recharge,
  trafficPackage,
} from '@/test/fixtures'
import { failure, server, stillLoading, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const confirmPath = '*/api/v2/user/shop-old/:id/confirm-order'

beforeEach(() =>
  server.use(
    http.get('*/api/v2/user/shop/plans', () =>
      success([lightPlan(), plan(), plan({ id: 3, name: 'Pro', stock: 0 }), trafficPackage()]),
    ),
    http.get('*/api/v2/user/wallet/gateways', () => success(gateways)),
    http.post('*/api/v2/user/shop-old/:id/pre-order', ({ params }) =>
      success(quote({ shop_id: Number(params.id) })),
    ),
    stillLoading,
  ),
)

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

const summary = async () => within(await screen.findByRole('region', { name: 'Summary' }))

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
    server.use(
      shortOfMoney,
      http.post(confirmPath, async ({ request }) => {
        sent = await request.json()
        return success(
          orderResult({
            order: order({ state: 'pending' }),
            recharge: recharge({ no: 31, money_amount: '20.00', order_no: 77 }),
          }),
        )
      }),
      http.post('*/api/v2/user/wallet/recharge/:id', () =>
        success(recharge({ no: 31, money_amount: '20.00', order_no: 77 })),
      ),
    )
    const { router, user } = await openSignedIn('/user/services/buy?plan=2')
    const bill = await summary()
    expect(await bill.findByText('-¥10.00')).toBeVisible()
    await user.click(await bill.findByRole('radio', { name: 'WeChat Pay' }))
    await user.click(bill.getByRole('button', { name: 'Pay ¥20.00' }))
    await waitFor(() => expect(router.state.location.href).toBe('/user/wallet/recharge/new?id=31'))
    expect(sent).toEqual({ gateway: 'wechat' })
    expect(await screen.findByText('Left to pay for your purchase')).toBeVisible()
    expect(localStorage.getItem('last_gateway')).toBe('wechat')
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

describe('renewing', () => {
  it('offers the service’s own plan, hidden or not, and names the service', async () => {
    let asked: string | null = null
    let sent: unknown
    server.use(
      http.get('*/api/v2/user/shop/plans', ({ request }) => {
        asked = new URL(request.url).searchParams.get('renew_service_id')
        return success([plan()])
      }),
      http.post(confirmPath, async ({ request }) => {
        sent = await request.json()
        return success(orderResult({ order: order({ kind: 'renewal' }) }))
      }),
    )
    const { user } = await openSignedIn('/user/services/buy?renew=11')
    expect(await screen.findByRole('heading', { name: 'Renew' })).toBeVisible()
    await user.click(await screen.findByRole('button', { name: /from balance/ }))
    expect(await screen.findByRole('heading', { name: 'Done' })).toBeVisible()
    expect(asked).toBe('11')
    expect(sent).toEqual({ renew_service_id: 11 })
  })

  it('says when a plan can no longer be renewed', async () => {
    server.use(http.get('*/api/v2/user/shop/plans', () => success([plan({ renewable: false })])))
    await openSignedIn('/user/services/buy?renew=11')
    expect(await screen.findByText('This plan can no longer be renewed.')).toBeVisible()
    expect(screen.getByRole('link', { name: 'See other plans' })).toBeVisible()
  })
})
