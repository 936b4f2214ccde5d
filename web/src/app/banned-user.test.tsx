import { screen } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, expect, it } from 'vitest'
import {
  dashboard,
  gateways,
  inDays,
  lightPlan,
  order,
  packageItem,
  plan,
  quote,
  recharge,
  renewal,
  service,
  trafficPackage,
  wallet,
} from '@/test/fixtures'
import { server, stillLoading, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const pending = recharge({ order_no: 77, order: order({ state: 'pending' }) })
const failed = recharge({ id: '32', no: 32, state: 'failed' })
const unpaid = recharge({ id: '33', no: 33, state: 'expired', order: order({ state: 'expired' }) })

beforeEach(() =>
  server.use(
    http.get('*/api/v2/user/get_me', () => success({ is_ban: true, ban: null })),
    http.get('*/api/v2/user/dashboard', () => success(dashboard({ state: 'banned' }))),
    http.get('*/api/v2/user/services/renewals', () =>
      success({ available: '10.00', currency: 'CNY', renewals: [renewal({ missing: '9.00' })] }),
    ),
    http.get('*/api/v2/user/services-old/bill/:id', () => success({ bills: [] })),
    http.get('*/api/v2/user/refund-requests', () => success({ total_count: 0, requests: [] })),
    http.get('*/api/v2/user/services', () =>
      success({
        services: [service(), service({ id: 12, state: 'ended', end_reason: 'expired' })],
        packages: [packageItem()],
      }),
    ),
    http.get('*/api/v2/user/shop/plans', () => success([lightPlan(), plan(), trafficPackage()])),
    http.post('*/api/v2/user/shop-old/:id/pre-order', () =>
      success(quote({ missing: '9.00', recharge_amount: '9.00' })),
    ),
    http.get('*/api/v2/user/wallet/gateways', () => success(gateways)),
    http.get('*/api/v2/user/wallet/recharge', () =>
      success({
        created_at: inDays(-90),
        total_count: 3,
        recharge_records: [pending, failed, unpaid],
      }),
    ),
    http.post('*/api/v2/user/wallet/recharge/:id', ({ params }) =>
      success([pending, failed, unpaid].find(({ no }) => no === Number(params.id))),
    ),
    http.get('*/api/v2/user/wallet', () => success(wallet())),
    http.get('*/api/v2/user/wallet/movements', () => success({ total_count: 0, movements: [] })),
    http.get('*/api/v2/user/wallet/purchase-records', () => success([])),
    http.get('*/api/v2/user/wallet/invoices', () => success({ total_count: 0, invoices: [] })),
    http.get('*/api/v2/user/wallet/cd-key', () => success({ total_count: 0, redemptions: [] })),
    stillLoading,
  ),
)

/** The address of each page from which users pay, and what it shows once its data is there. */
const pages = [
  ['/user/dashboard', 'Balance'],
  ['/user/services', 'Suspended'],
  ['/user/services-old', 'Suspended'],
  ['/user/services/renewals', /¥30\.00|30\.00/],
  ['/user/services/buy', 'Summary'],
  ['/user/services/buy?kind=package', 'Summary'],
  ['/user/services/buy?renew=11', 'Summary'],
  ['/user/services/buy?change=11', 'Your present plan'],
  ['/user/shop-old', 'Standard'],
  ['/user/shop-old/payment?shop=20', 'Summary'],
  ['/user/wallet', 'Available balance'],
  ['/user/wallet/recharge', '#31'],
  ['/user/wallet/recharge/new', /suspended/],
  ['/user/wallet/recharge/new?id=31', 'Left to pay for your purchase'],
  ['/user/wallet/recharge/new?id=32', 'Payment failed'],
  ['/user/wallet/recharge/new?id=33', 'Ended unpaid'],
  ['/user/wallet/recharge/cd-key', /suspended/],
  ['/user/wallet/billing', 'No invoices yet. Each purchase and top-up gets one.'],
  ['/user/wallet/purchase-records-old', 'Nothing bought yet.'],
] as const

it.each(pages)('%s offers a banned user no way to pay', async (path, shown) => {
  await openSignedIn(path)
  expect((await screen.findAllByText(shown))[0]).toBeInTheDocument()
  const main = screen.getByRole('main')
  const ways = [...main.querySelectorAll('a')].filter(({ href }) =>
    /\/services\/buy|\/shop-old\/payment|\/recharge\/new(\?amount|$)|pay\.example\.com/.test(href),
  )
  expect(ways.map(({ href, textContent }) => `${textContent} ${href}`)).toEqual([])
  const buttons = [...main.querySelectorAll('button')].filter(
    ({ type, textContent }) => type === 'submit' || /^(Pay|Another way|Buy)/.test(textContent),
  )
  expect(buttons.map(({ textContent }) => textContent)).toEqual([])
})
