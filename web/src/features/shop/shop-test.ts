import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import type { GatewayChargeNow } from '@/lib/api/gen/types.gen'
import { gateways, inDays, lightPlan, plan, quote, trafficPackage } from '@/test/fixtures'
import { notBanned, server, stillLoading, success } from '@/test/msw/server'

/** What the tests of the page on which people buy share. */

export const confirmPath = '*/api/v2/user/shop-old/:id/confirm-order'

export const charge = (change: Partial<GatewayChargeNow> = {}): GatewayChargeNow => ({
  amount: '20.00',
  fee: '0.00',
  pay_amount: '20.00',
  pay_currency: 'CNY',
  ...change,
})

/** A shop with two plans to buy, one that is sold out, and a package, for somebody who has bought nothing yet. */
export const openShop = () =>
  server.use(
    http.get('*/api/v2/user/shop/plans', () =>
      success([lightPlan(), plan(), plan({ id: 3, name: 'Pro', stock: 0 }), trafficPackage()]),
    ),
    http.get('*/api/v2/user/wallet/gateways', () =>
      success(gateways.map((gateway) => ({ ...gateway, charge: charge() }))),
    ),
    http.post('*/api/v2/user/shop-old/:id/pre-order', ({ params }) =>
      success(quote({ shop_id: Number(params.id) })),
    ),
    // The page waits for these, though not for long.
    notBanned,
    http.get('*/api/v2/user/services', () => success({ services: [], packages: [] })),
    http.get('*/api/v2/user/wallet/recharge', () =>
      success({ created_at: inDays(-90), total_count: 0, recharge_records: [] }),
    ),
    stillLoading,
  )

export const summary = async () => within(await screen.findByRole('region', { name: 'Summary' }))
