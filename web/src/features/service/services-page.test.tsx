import { act, screen, waitFor, within } from '@testing-library/react'
import { delay, http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import type {
  PackageItem,
  RefundRequestItem,
  RenewalItem,
  ServiceItem,
} from '@/lib/api/gen/types.gen'
import { bill, GB, inDays, packageItem, refundRequest, renewal, service } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { conditionOf } from './model'

const path = '*/api/v2/user/services'
const renewalsPath = '*/api/v2/user/services/renewals'
const has = (services: ServiceItem[], packages: PackageItem[] = []) =>
  server.use(http.get(path, () => success({ services, packages })))
const ahead = (...renewals: RenewalItem[]) =>
  server.use(
    http.get(renewalsPath, () => success({ available: '10.00', currency: 'CNY', renewals })),
  )
const asked = (...requests: RefundRequestItem[]) =>
  server.use(
    http.get('*/api/v2/user/refund-requests', () =>
      success({ total_count: requests.length, requests }),
    ),
  )
const renewalOff = () =>
  success({ service_id: 11, auto_renew: false, renew_at: null, price: null, months: 0 })
const card = async (name = 'Standard') => within(await screen.findByRole('article', { name }))

beforeEach(() => {
  ahead(renewal())
  asked()
})

describe('the services page', () => {
  it('shows what is left of each service, and leads to its renewal', async () => {
    has([service()])
    await openSignedIn('/user/services')
    const standard = await card()
    expect(standard.getByText('Running')).toBeVisible()
    expect(standard.getByText('150')).toBeVisible()
    expect(standard.getByRole('progressbar', { name: '25% used' })).toBeVisible()
    for (const [name, search] of [
      ['Renew', 'renew=11'],
      ['Change plan', 'change=11'],
    ] as const) {
      expect(standard.getByRole('link', { name })).toHaveAttribute(
        'href',
        expect.stringContaining(search),
      )
    }
  })

  it('shows the last date on which a service can be used, and the days until then', async () => {
    const midnight = new Date()
    midnight.setHours(48, 0, 0, 0)
    has([service({ ends_at: midnight.toISOString() })])
    await openSignedIn('/user/services')
    const tomorrow = new Date(midnight.getTime() - 1)
    const date = tomorrow.toLocaleDateString('en', { month: 'short', day: 'numeric' })
    const ends = (await card()).getByText('Ends').nextElementSibling
    expect(ends).toHaveTextContent(new RegExp(`^in 1 day · ${date}$`))
  })

  it('shows packages, with or without an end', async () => {
    has([], [packageItem(), packageItem({ id: 6, name: 'Gift', expires_at: inDays(9) })])
    await openSignedIn('/user/services')
    expect((await card('50 GB more')).getByText('Until it is used up')).toBeVisible()
    expect(screen.getByRole('article', { name: 'Gift' })).toHaveTextContent('in 9 days')
  })

  it('says that the account is suspended, why and until when', async () => {
    has([service()])
    server.use(
      http.get('*/api/v2/user/get_me', () =>
        success({ is_ban: true, ban: { reason: 'Spam was sent', until: '2030-06-01T04:00:00Z' } }),
      ),
    )
    await openSignedIn('/user/services')
    expect(await screen.findByRole('alert')).toHaveTextContent('suspended')
    expect(screen.getByText('Spam was sent')).toBeVisible()
    expect(screen.getByText(/Jun 1, 2030/)).toBeVisible()
  })

  it.each(['/user/services', '/user/services-old'])('is not called running on %s', async (page) => {
    has([service(), service({ id: 12, name: 'Light', state: 'ended', ends_at: inDays(-3) })])
    server.use(http.get('*/api/v2/user/get_me', () => success({ is_ban: true, ban: null })))
    await openSignedIn(page)
    expect(await screen.findByText('Suspended')).toBeVisible()
    expect(screen.queryByText('Running')).not.toBeInTheDocument()
  })

  it('leads somebody without any to the shop', async () => {
    has([])
    await openSignedIn('/user/services')
    expect(await screen.findByText(/No plan yet/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Choose a plan' })).toBeVisible()
  })

  it('says what could not be loaded, and tries again', async () => {
    has([service()])
    server.use(
      http.get(path, () => failure(409, { message: 'Not now', code: 'busy' }), { once: true }),
    )
    const { user } = await openSignedIn('/user/services')
    expect(await screen.findByText('Not now')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('article', { name: 'Standard' })).toBeVisible()
  })
})

describe('services that have ended', () => {
  it('are folded away, with the way to go on with them', async () => {
    has([
      service(),
      service({
        id: 12,
        name: 'Light',
        state: 'ended',
        ends_at: inDays(-3),
        end_reason: 'expired',
      }),
      service({
        id: 13,
        name: 'Heavy',
        state: 'ended',
        ends_at: inDays(-3),
        end_reason: 'changed',
      }),
    ])
    const { user } = await openSignedIn('/user/services')
    expect(screen.queryByRole('article', { name: 'Light' })).not.toBeInTheDocument()
    await user.click(await screen.findByText('2 services that have ended'))
    expect(screen.getByRole('link', { name: 'Renew Light' })).toBeVisible()
    expect(screen.queryByRole('link', { name: 'Renew Heavy' })).not.toBeInTheDocument()
  })
})

describe('the automatic renewal', () => {
  it('asks for agreement to a price that was raised', async () => {
    has([service()])
    ahead(renewal({ price: '35.00', agreed_price: '30.00', tries: 1, problem: 'price_raised' }))
    await openSignedIn('/user/services')
    const standard = await card()
    expect(await standard.findByText(/1 try failed because the price was raised/)).toBeVisible()
    expect(standard.getByRole('button', { name: 'Agree to ¥35.00' })).toBeVisible()
  })
  it('says when and for how much, and what the balance lacks', async () => {
    has([service()])
    ahead(renewal({ missing: '20.00', tries: 2, problem: 'balance_too_low' }))
    await openSignedIn('/user/services')
    const standard = await card()
    expect(await standard.findByText(/^Next/)).toHaveTextContent(/¥30.00 for 1 month/)
    expect(standard.getByText(/2 tries failed because the balance was too low/)).toHaveTextContent(
      'Your balance lacks ¥20.00 for it.',
    )
    expect(standard.getByRole('link', { name: 'Top up' })).toBeVisible()
  })

  it('that could not be loaded says so on the card, and is asked for again', async () => {
    has([service()])
    ahead(renewal())
    server.use(
      http.get(renewalsPath, () => failure(409, { message: 'Not now', code: 'busy' }), {
        once: true,
      }),
    )
    const { user } = await openSignedIn('/user/services')
    const standard = await card()
    expect(await standard.findByText('Not now')).toBeVisible()
    await user.click(standard.getByRole('button', { name: 'Try again' }))
    expect(await standard.findByText(/^Next/)).toBeVisible()
  })

  it('is on the purchase records as it was just turned', async () => {
    let isOn = true
    has([service()])
    ahead(renewal())
    server.use(
      http.get('*/api/v2/user/wallet/purchase-records', () =>
        success([
          {
            id: 'p77',
            no: 77,
            created_at: inDays(-18),
            ends_at: inDays(98),
            kind: 'plan',
            money_amount: '30.00',
            months: 1,
            renew_at: isOn ? inDays(97) : null,
            shop_id: 20,
            shop_name: 'Standard',
            state: 'paid',
          },
        ]),
      ),
      http.put('*/api/v2/user/services/11/auto-renew', () => {
        isOn = false
        return renewalOff()
      }),
    )
    const { user, router } = await openSignedIn('/user/wallet/purchase-records-old')
    expect(await screen.findByRole('row', { name: /Standard/ })).toBeVisible()
    expect(screen.queryByRole('cell', { name: 'No' })).not.toBeInTheDocument()
    await act(() => router.navigate({ to: '/user/services' }))
    await user.click(await screen.findByRole('switch', { name: 'Renew Standard by itself' }))
    await waitFor(() => expect(isOn).toBe(false))
    await act(() => router.navigate({ to: '/user/wallet/purchase-records-old' }))
    expect(await screen.findByRole('cell', { name: 'No' })).toBeVisible()
  })

  it('is turned on when the server says so, not before', async () => {
    has([service({ auto_renew: false })])
    ahead(renewal({ auto_renew: false }))
    const sent: unknown[] = []
    server.use(
      http.put('*/api/v2/user/services/11/auto-renew', async ({ request }) => {
        sent.push(await request.json())
        await delay(30)
        has([service()])
        ahead(renewal())
        return success({
          service_id: 11,
          auto_renew: true,
          renew_at: inDays(97),
          price: '30.00',
          months: 1,
        })
      }),
    )
    const { user } = await openSignedIn('/user/services')
    const toggle = await screen.findByRole('switch', { name: 'Renew Standard by itself' })
    expect(toggle).not.toBeChecked()
    await user.click(toggle)
    expect(toggle).not.toBeChecked()
    await waitFor(() => expect(toggle).toBeChecked())
    expect(sent).toEqual([{ auto_renew: true }])
  })

  it('says why it could not be turned on', async () => {
    has([service({ auto_renew: false })])
    ahead(renewal({ auto_renew: false }))
    server.use(
      http.put('*/api/v2/user/services/11/auto-renew', () =>
        failure(409, { message: 'This service cannot be renewed', code: 'not_renewable' }),
      ),
    )
    const { user } = await openSignedIn('/user/services')
    await user.click(await screen.findByRole('switch', { name: 'Renew Standard by itself' }))
    expect(await screen.findByText('This service cannot be renewed')).toBeVisible()
    expect(screen.getByRole('switch', { name: 'Renew Standard by itself' })).not.toBeChecked()
  })

  it('cannot be turned on for what is no longer sold', async () => {
    has([service({ auto_renew: false })])
    ahead(renewal({ auto_renew: false, price: null, months: 0 }))
    await openSignedIn('/user/services')
    expect(await screen.findByText(/no longer sold/)).toBeVisible()
    expect(screen.getByRole('switch', { name: 'Renew Standard by itself' })).toBeDisabled()
  })
})

describe('a refund', () => {
  const offers = (amount: string) =>
    server.use(
      http.get('*/api/v2/user/services-old/bill/11', () =>
        success({ total_count: 2, bills: [bill({ no: 78 }), bill({ no: 77, state: 'refunded' })] }),
      ),
      http.get('*/api/v2/user/orders/78/refund', () => success({ amount })),
    )

  it('is asked for with a reason, and can be taken back', async () => {
    has([service()])
    offers('21.30')
    let sent: unknown
    server.use(
      http.post('*/api/v2/user/orders/78/refund-request', async ({ request }) => {
        sent = await request.json()
        asked(refundRequest())
        return success(refundRequest())
      }),
      http.post('*/api/v2/user/refund-requests/3/withdraw', () => {
        asked(refundRequest({ state: 'withdrawn' }))
        return success({})
      }),
    )
    const { user } = await openSignedIn('/user/services')
    await user.click(await screen.findByRole('button', { name: 'Ask for a refund' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(await dialog.findByText('21')).toBeVisible()
    await user.click(dialog.getByRole('button', { name: 'Ask for the refund' }))
    expect(await dialog.findByText('Say why, in a few words')).toBeVisible()
    await user.type(dialog.getByLabelText('Why do you want it back?'), 'too slow')
    await user.click(dialog.getByRole('button', { name: 'Ask for the refund' }))
    expect(await screen.findByText('Refund asked for')).toBeVisible()
    expect(sent).toEqual({ reason: 'too slow' })
    expect(screen.queryByRole('button', { name: 'Ask for a refund' })).not.toBeInTheDocument()
    await user.click(screen.getByRole('button', { name: 'Take it back' }))
    expect(await screen.findByRole('button', { name: 'Ask for a refund' })).toBeVisible()
  })

  it('that was requested by a call whose answer was lost is shown after the refusal of the next one', async () => {
    has([service()])
    offers('21.30')
    let calls = 0
    server.use(
      http.post('*/api/v2/user/orders/78/refund-request', () => {
        calls++
        if (calls === 1) return HttpResponse.error()
        asked(refundRequest())
        return failure(409, { message: 'Asked for already', code: 'refund_request_exists' })
      }),
    )
    const { user } = await openSignedIn('/user/services')
    await user.click(await screen.findByRole('button', { name: 'Ask for a refund' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(await dialog.findByLabelText('Why do you want it back?'), 'too slow')
    await user.click(dialog.getByRole('button', { name: 'Ask for the refund' }))
    expect(await dialog.findByRole('alert')).toBeVisible()
    await user.click(dialog.getByRole('button', { name: 'Ask for the refund' }))
    expect(await dialog.findByText('Asked for already')).toBeVisible()
    await user.click(dialog.getByRole('button', { name: 'Close' }))
    expect(await screen.findByText('Refund asked for')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Ask for a refund' })).not.toBeInTheDocument()
  })

  it('that staff granted meanwhile cannot be taken back, and the service has ended', async () => {
    has([service()])
    asked(refundRequest())
    server.use(
      http.post('*/api/v2/user/refund-requests/3/withdraw', () => {
        asked(refundRequest({ state: 'granted' }))
        has([service({ state: 'ended', end_reason: 'refunded' })])
        return failure(409, { message: 'Decided already', code: 'refund_request_ended' })
      }),
    )
    const { user } = await openSignedIn('/user/services')
    await user.click(await screen.findByRole('button', { name: 'Take it back' }))
    expect(await screen.findByText('1 service that has ended')).toBeVisible()
    expect(screen.queryByRole('heading', { name: 'Plans' })).not.toBeInTheDocument()
  })

  it('is reckoned anew each time, and never shown as it was before', async () => {
    has([service()])
    offers('21.30')
    const { user } = await openSignedIn('/user/services')
    await user.click(await screen.findByRole('button', { name: 'Ask for a refund' }))
    expect(await screen.findByText('21')).toBeVisible()
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    server.use(
      http.get('*/api/v2/user/orders/78/refund', async () => {
        await delay(30)
        return success({ amount: '9.00' })
      }),
    )
    await user.click(screen.getByRole('button', { name: 'Ask for a refund' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.queryByText('21')).not.toBeInTheDocument()
    expect(await dialog.findByText('9')).toBeVisible()
  })

  it('that would bring nothing is not asked for', async () => {
    has([service()])
    offers('0.00')
    const { user } = await openSignedIn('/user/services')
    await user.click(await screen.findByRole('button', { name: 'Ask for a refund' }))
    expect(await screen.findByText('Nothing of it is left to give back.')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Ask for the refund' })).not.toBeInTheDocument()
  })

  it('of a package is asked for on its card, but not of a gift', async () => {
    has([], [packageItem({ order_no: 78 }), packageItem({ id: 6, name: 'Gift', kind: 'grant' })])
    offers('4.00')
    server.use(
      http.post('*/api/v2/user/orders/78/refund-request', () => {
        const request = refundRequest({ service_id: null, package_id: 5 })
        asked(request)
        return success(request)
      }),
    )
    const { user } = await openSignedIn('/user/services')
    const more = await card('50 GB more')
    expect((await card('Gift')).queryByRole('button')).not.toBeInTheDocument()
    await user.click(more.getByRole('button', { name: 'Ask for a refund' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Refund of 50 GB more' }))
    expect(await dialog.findByText('4')).toBeVisible()
    await user.type(dialog.getByLabelText('Why do you want it back?'), 'bought twice')
    await user.click(dialog.getByRole('button', { name: 'Ask for the refund' }))
    expect(await more.findByText('Refund asked for')).toBeVisible()
    expect(more.queryByRole('button', { name: 'Ask for a refund' })).not.toBeInTheDocument()
  })

  it('that was declined says why, and can be asked for again', async () => {
    has([service()])
    asked(refundRequest({ state: 'declined', answer: 'You used most of it', ended_at: inDays(-1) }))
    await openSignedIn('/user/services')
    expect(await screen.findByText('Refund declined')).toBeVisible()
    expect(screen.getByText('You used most of it')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Ask for a refund' })).toBeVisible()
  })
})

describe('the renewals page', () => {
  it('shows each renewal with the balance that is there for it', async () => {
    ahead(
      renewal(),
      renewal({
        service_id: 12,
        name: 'Light',
        auto_renew: true,
        renew_at: null,
        missing: '5.00',
        tries: 8,
        problem: 'balance_too_low',
      }),
    )
    await openSignedIn('/user/services/renewals')
    expect(await screen.findByText('Available balance')).toBeVisible()
    const light = await card('Light')
    expect(light.getByText(/8 tries failed/)).toHaveTextContent('It is not tried again.')
    expect(light.getByRole('link', { name: 'Renew now' })).toHaveAttribute(
      'href',
      expect.stringContaining('renew=12'),
    )
    expect((await card()).queryByText(/lacks/)).not.toBeInTheDocument()
  })

  it('turns a renewal off', async () => {
    server.use(
      http.put('*/api/v2/user/services/11/auto-renew', () => {
        ahead(renewal({ auto_renew: false }))
        return renewalOff()
      }),
    )
    const { user } = await openSignedIn('/user/services/renewals')
    await user.click(await screen.findByRole('switch', { name: 'Renew Standard by itself' }))
    expect(await screen.findByText(/^If on:/)).toBeVisible()
  })

  it('leads somebody without services to the shop', async () => {
    ahead()
    await openSignedIn('/user/services/renewals')
    expect(await screen.findByText(/so nothing renews/)).toBeVisible()
  })

  it('says what could not be loaded, and tries again', async () => {
    server.use(
      http.get(renewalsPath, () => failure(409, { message: 'Not now', code: 'busy' }), {
        once: true,
      }),
    )
    const { user } = await openSignedIn('/user/services/renewals')
    expect(await screen.findByText('Not now')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('article', { name: 'Standard' })).toBeVisible()
  })
})

describe('the classic table', () => {
  it('unfolds the bills of a service, and keeps them in the address', async () => {
    has([service()], [packageItem()])
    server.use(
      http.get('*/api/v2/user/services-old/bill/11', () =>
        success({ total_count: 1, bills: [bill()] }),
      ),
    )
    const { user, router } = await openSignedIn('/user/services-old')
    expect(await screen.findByRole('table', { name: 'Packages' })).toHaveTextContent('50 GB more')
    await user.click(screen.getByRole('button', { name: 'Bills of Standard' }))
    expect(await screen.findByRole('table', { name: 'Bills' })).toHaveTextContent(
      /New · 1 month.*¥30.00.*Paid/,
    )
    expect(router.state.location.search).toEqual({ bills: 11 })
    await user.click(screen.getByRole('button', { name: 'Bills of Standard' }))
    expect(screen.queryByRole('table', { name: 'Bills' })).not.toBeInTheDocument()
  })

  it('says that a gift has no bills', async () => {
    has([service()])
    server.use(
      http.get('*/api/v2/user/services-old/bill/11', () => success({ total_count: 0, bills: [] })),
    )
    await openSignedIn('/user/services-old?bills=11')
    expect(await screen.findByText(/was given to you/)).toBeVisible()
  })

  it('leads somebody without services to the classic shop', async () => {
    has([])
    await openSignedIn('/user/services-old')
    expect(await screen.findByRole('link', { name: 'Choose a plan' })).toHaveAttribute(
      'href',
      '/user/shop-old',
    )
  })

  it('says what could not be loaded, and tries again', async () => {
    has([service()])
    server.use(
      http.get(path, () => failure(409, { message: 'Not now', code: 'busy' }), { once: true }),
    )
    const { user } = await openSignedIn('/user/services-old')
    expect(await screen.findByText('Not now')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('button', { name: 'Bills of Standard' })).toBeVisible()
  })
})

describe('how a service is', () => {
  const now = Date.now()

  it.each([
    ['running', service()],
    ['running', service({ quota_bytes: null })],
    ['running', service({ ends_at: inDays(2), auto_renew: true })],
    ['ending', service({ ends_at: inDays(2), auto_renew: false })],
    ['exhausted', service({ used_bytes: 200 * GB })],
    ['ended', service({ state: 'ended' })],
  ] as const)('%s', (key, one) => {
    expect(conditionOf(one, now, false).key).toBe(key)
  })

  it('suspended with the account, whatever else it would be but ended', () => {
    expect(conditionOf(service({ used_bytes: 200 * GB }), now, true).key).toBe('suspended')
    expect(conditionOf(service({ state: 'ended' }), now, true).key).toBe('ended')
  })
})
