import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { lightPlan, order, orderResult, plan, quote, trafficPackage } from '@/test/fixtures'
import { failure, server, stillLoading, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const plansPath = '*/api/v2/user/shop/plans'

beforeEach(() =>
  server.use(
    http.get(plansPath, () => success([lightPlan({ stock: 0 }), plan(), trafficPackage()])),
    http.post('*/api/v2/user/shop-old/:id/pre-order', ({ params }) =>
      success(quote({ shop_id: Number(params.id) })),
    ),
    stillLoading,
  ),
)

describe('the classic shop', () => {
  it('lists everything with a way to pay for each price', async () => {
    const { user, router } = await openSignedIn('/user/shop-old')
    const plans = within(await screen.findByRole('table', { name: 'Plans' }))
    expect(plans.getByRole('row', { name: /Light/ })).toHaveTextContent(
      /Sold out.*Not available to you/,
    )
    expect(screen.getByRole('table', { name: 'Packages' })).toHaveTextContent('Until it is used up')
    await user.click(plans.getByRole('link', { name: 'Standard · 12 months · ¥288.00' }))
    expect(router.state.location.href).toBe('/user/shop-old/payment?shop=21')
  })

  it('says when nothing is on sale', async () => {
    server.use(http.get(plansPath, () => success([])))
    await openSignedIn('/user/shop-old')
    expect(await screen.findByText(/No plans are on sale/)).toBeVisible()
  })

  it('says what could not be loaded, and tries again', async () => {
    server.use(
      http.get(plansPath, () => failure(409, { message: 'Not now', code: 'busy' }), { once: true }),
    )
    const { user } = await openSignedIn('/user/shop-old')
    expect(await screen.findByText('Not now')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('table', { name: 'Plans' })).toBeVisible()
  })
})

describe('the classic payment', () => {
  it('pays for what was chosen, and leads back to the list', async () => {
    server.use(
      http.post('*/api/v2/user/shop-old/20/confirm-order', () =>
        success(orderResult({ order: order() })),
      ),
    )
    const { user, router } = await openSignedIn('/user/shop-old/payment?shop=20')
    expect(await screen.findByText('Standard · 1 month')).toBeVisible()
    await user.click(await screen.findByRole('button', { name: 'Pay ¥30.00 from balance' }))
    await user.click(await screen.findByRole('button', { name: 'Buy more' }))
    expect(router.state.location.pathname).toBe('/user/shop-old')
  })

  it('is still told of after a reload', async () => {
    server.use(http.get('*/api/v2/user/orders/77', () => success(orderResult())))
    await openSignedIn('/user/shop-old/payment?shop=20&done=77')
    expect(await screen.findByText('Bought: Standard · 1 month')).toBeVisible()
  })

  it('takes a coupon', async () => {
    server.use(
      http.post('*/api/v2/user/shop-old/20/pre-order', async ({ request }) => {
        const { coupon } = (await request.json()) as { coupon?: string }
        return success(coupon ? quote({ discount: '6.00', amount: '24.00' }) : quote())
      }),
    )
    await openSignedIn('/user/shop-old/payment?shop=20&coupon=SPRING')
    expect(await screen.findByRole('button', { name: 'Pay ¥24.00 from balance' })).toBeVisible()
    expect(await screen.findByLabelText('Coupon')).toHaveValue('SPRING')
  })

  it('pays for a package', async () => {
    await openSignedIn('/user/shop-old/payment?shop=90')
    expect(await screen.findByRole('heading', { name: '50 GB more' })).toBeVisible()
  })

  it.each([
    ['/user/shop-old/payment', 'Nothing is chosen yet.'],
    ['/user/shop-old/payment?shop=999', 'This is not on sale any more.'],
  ])('leads to the list from %s', async (path, text) => {
    await openSignedIn(path)
    expect(await screen.findByText(text)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Choose in the shop' })).toBeVisible()
  })
})
