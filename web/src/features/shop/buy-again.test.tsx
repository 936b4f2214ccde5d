import { cleanup, screen, within } from '@testing-library/react'
import { delay, http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { bill as billItem, inDays, order, orderResult, plan, quote, service } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { confirmPath, openShop, summary } from './shop-test'

beforeEach(openShop)

const year = (time: string) => new Date(time).getFullYear()

describe('changing the plan', () => {
  const has = (...services: ReturnType<typeof service>[]) =>
    http.get('*/api/v2/user/services', () => success({ services, packages: [] }))

  it('is a step away for somebody with a plan', async () => {
    server.use(has(service(), service({ id: 12, name: 'NotOnSale', state: 'ended' })))
    const { user } = await openSignedIn('/user/services/buy')
    await user.click(await screen.findByRole('link', { name: 'Change Standard instead' }))
    expect(await screen.findByRole('heading', { name: 'Change plan' })).toBeVisible()
    expect(screen.queryByText(/NotOnSale/)).not.toBeInTheDocument()
  })

  it('distinguishes two services of one name by when they end', async () => {
    const [sooner, later] = ['2027-02-01T08:00:00Z', '2027-03-01T08:00:00Z']
    server.use(has(service({ ends_at: sooner }), service({ id: 12, ends_at: later })))
    await openSignedIn('/user/services/buy')
    const links = await screen.findAllByRole('link', { name: /^Change Standard/ })
    expect(links.map((link) => link.textContent)).toEqual([
      expect.stringContaining('Feb 1, 2027'),
      expect.stringContaining('Mar 1, 2027'),
    ])
  })

  it('shows credit and change before one agrees, and keeps renewing', async () => {
    let sent: unknown
    const sums = { price: '15.00', credit: '22.00', amount: '0.00', change: '7.00' }
    server.use(
      has(service()),
      http.post('*/api/v2/user/shop-old/:id/pre-order', () =>
        success(
          quote({
            ...sums,
            name: 'Light',
            plan_id: 1,
            ends_at: inDays(30),
            replaces: { service_id: 11, name: 'Standard', ends_at: '2026-01-01T00:00:00Z' },
          }),
        ),
      ),
      http.post(confirmPath, async ({ request }) => {
        sent = await request.json()
        return success(
          orderResult({
            order: order({ name: 'Light', replaces: 'Standard', credit: '22.00', amount: '0.00' }),
          }),
        )
      }),
    )
    const { user } = await openSignedIn('/user/services/buy?change=11')
    expect(await screen.findByRole('radio', { name: 'Standard' })).toBeDisabled()
    expect(screen.getByText('Your present plan')).toBeVisible()
    expect(screen.queryByRole('radio', { checked: true, name: 'Light' })).not.toBeInTheDocument()
    expect(screen.queryByRole('region', { name: 'Summary' })).not.toBeInTheDocument()
    await user.click(screen.getByRole('radio', { name: 'Light' }))
    const bill = await summary()
    expect((await bill.findByText('Unused part of Standard')).parentElement).toHaveTextContent(
      '-¥22.00',
    )
    expect(bill.getByText('Back to your balance').parentElement).toHaveTextContent('¥7.00')
    expect(bill.getByText('Balance afterwards').parentElement).toHaveTextContent('¥135.50')
    const compared = within(screen.getByRole('table', { name: 'Before and after' }))
    expect(compared.getByRole('row', { name: /Plan/ })).toHaveTextContent('StandardLight')
    expect(compared.getByRole('row', { name: /Traffic/ })).toHaveTextContent('less')
    const until = compared.getByRole('row', { name: /Runs until/ })
    expect(until).toHaveTextContent(`${year(inDays(98))}`)
    expect(until).toHaveTextContent(/, \d{4}shorter$/)
    const change = bill.getByRole('button', { name: /^Change to Light/ })
    expect(change).toHaveTextContent('Confirm, nothing to pay')
    await user.click(change)
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText(/Standard ends now/)).toHaveTextContent('¥22.00 is credited')
    expect(dialog.getByText(/Standard ends now/)).toHaveTextContent(/until \w+ \d+, \d{4}\./)
    const asked = within(dialog.getByRole('table', { name: 'Before and after' }))
    expect(asked.getByRole('row', { name: /Traffic/ })).toHaveTextContent('less')
    await user.click(dialog.getByRole('button', { name: 'Cancel' }))
    expect(sent).toBeUndefined()
    await user.click(change)
    const again = within(await screen.findByRole('dialog'))
    await user.click(again.getByRole('button', { name: 'Change plan' }))
    expect(await screen.findByText('Changed: Standard → Light')).toBeVisible()
    expect(screen.getByText('Credited for the plan before').parentElement).toHaveTextContent('22')
    expect(sent).toEqual({ change_service_id: 11, auto_renew: true, expected_amount: '0.00' })
  })

  it('that another tab did first says so in the dialog, and leads to what one has', async () => {
    let isEnded = false
    const ended = () => failure(409, { message: 'This service has ended', code: 'service_ended' })
    server.use(
      http.get('*/api/v2/user/services', () =>
        success({ services: [service(isEnded ? { state: 'ended' } : {})], packages: [] }),
      ),
      http.post('*/api/v2/user/shop-old/:id/pre-order', () =>
        isEnded
          ? ended()
          : success(
              quote({
                replaces: { service_id: 11, name: 'Standard', ends_at: '2026-01-01T00:00:00Z' },
              }),
            ),
      ),
      http.post(confirmPath, () => {
        isEnded = true
        return ended()
      }),
    )
    const { user } = await openSignedIn('/user/services/buy?change=11&plan=1')
    await user.click(await (await summary()).findByRole('button', { name: /^Change to/ }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.click(dialog.getByRole('button', { name: 'Change plan' }))
    expect(await dialog.findByRole('alert')).toHaveTextContent('This service has ended')
    expect(dialog.getByRole('link', { name: 'My services' })).toHaveAttribute(
      'href',
      '/user/services',
    )
    expect(dialog.queryByRole('button', { name: 'Change plan' })).not.toBeInTheDocument()
    await delay(30)
    expect(dialog.getByRole('alert')).toBeVisible()
    await user.click(dialog.getByRole('button', { name: 'Cancel' }))
    expect(await screen.findByText(/does not run any more/)).toBeVisible()
  })

  it('is refused for a service that one does not have', async () => {
    server.use(has(service()))
    await openSignedIn('/user/services/buy?change=9999')
    expect(await screen.findByText(/There is no such service/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'My services' })).toBeVisible()
  })

  it('is refused where the service has ended, and where there is nothing else', async () => {
    server.use(has(service({ state: 'ended' })))
    await openSignedIn('/user/services/buy?change=11')
    expect(await screen.findByText(/does not run any more/)).toBeVisible()
    cleanup()
    server.use(
      has(service({ id: 13 })),
      http.get('*/api/v2/user/shop/plans', () => success([plan()])),
    )
    await openSignedIn('/user/services/buy?change=13')
    expect(await screen.findByText('There is no other plan on sale now.')).toBeVisible()
  })
})

describe('what was asked for', () => {
  it.each([
    ['a plan that is not on sale', '?plan=99'],
    ['a period that the plan does not have', '?plan=1&months=12'],
    ['a period that no plan has', '?plan=2&months=24'],
    ['a package that is not on sale', '?kind=package&plan=99'],
  ])('and is %s is not replaced by anything else', async (_, search) => {
    await openSignedIn(`/user/services/buy${search}`)
    expect(await screen.findByText(/What you chose is not on sale any more/)).toBeVisible()
    expect(screen.queryByRole('region', { name: 'Summary' })).not.toBeInTheDocument()
  })

  it('is bought again from its summary, which has the focus and says that it is the same', async () => {
    server.use(
      http.get('*/api/v2/user/orders/77', () =>
        success(orderResult({ order: order({ state: 'cancelled' }) })),
      ),
    )
    await openSignedIn('/user/services/buy?plan=2&months=1&again=77')
    const bill = await summary()
    expect(await bill.findByText(/The same order as before/)).toBeVisible()
    expect(bill.getByRole('heading', { name: 'Summary' })).toHaveFocus()
  })

  it('is bought again as it was ordered, and another price is told', async () => {
    let sent: unknown
    server.use(
      http.get('*/api/v2/user/orders/77', () =>
        success(
          orderResult({ order: order({ state: 'cancelled', amount: '24.00', auto_renew: true }) }),
        ),
      ),
      http.post(confirmPath, async ({ request }) => {
        sent = await request.json()
        return success(orderResult({ order: order({ no: 78 }) }))
      }),
    )
    const { user } = await openSignedIn('/user/services/buy?plan=2&months=1&again=77')
    const bill = await summary()
    expect(await bill.findByText('When you ordered it was ¥24.00, now it is ¥30.00.')).toBeVisible()
    await user.click(bill.getByRole('button', { name: 'Pay ¥30.00 from balance' }))
    expect(await screen.findByRole('heading', { name: 'Done' })).toHaveFocus()
    expect(sent).toEqual({ auto_renew: true, expected_amount: '30.00' })
  })
})

describe('renewing', () => {
  const was = (...bills: ReturnType<typeof billItem>[]) =>
    server.use(http.get('*/api/v2/user/services-old/bill/11', () => success({ bills })))

  beforeEach(() => was())

  it('starts with the period that was bought last', async () => {
    was(
      billItem({ no: 75, months: 1 }),
      billItem({ no: 78, months: 1, state: 'refunded' }),
      billItem({ no: 77, months: 12, kind: 'renewal' }),
    )
    server.use(http.get('*/api/v2/user/shop/plans', () => success([plan()])))
    await openSignedIn('/user/services/buy?renew=11')
    expect(await screen.findByRole('radio', { name: /12 months/ })).toBeChecked()
    expect(await screen.findByText('Standard · 12 months')).toBeVisible()
  })

  it('starts with the shortest where the last one is not sold any more', async () => {
    was(billItem({ months: 24 }))
    server.use(http.get('*/api/v2/user/shop/plans', () => success([plan()])))
    await openSignedIn('/user/services/buy?renew=11')
    expect(await screen.findByRole('radio', { name: '1 month' })).toBeChecked()
  })

  it('says that there is no such service, and leads to those that one has', async () => {
    const unknown = () =>
      failure(404, { message: 'There is no such service', code: 'service_not_found' })
    server.use(
      http.get('*/api/v2/user/shop/plans', unknown),
      http.get('*/api/v2/user/services-old/bill/:id', unknown),
    )
    await openSignedIn('/user/services/buy?renew=9999')
    expect(await screen.findByText(/There is no such service/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'My services' })).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Try again' })).not.toBeInTheDocument()
  })

  it('takes no stock and counts for no limit', async () => {
    server.use(
      http.get('*/api/v2/user/shop/plans', () =>
        success([plan({ stock: 0, per_user: 1, bought: 1 })]),
      ),
    )
    await openSignedIn('/user/services/buy?renew=11')
    expect(await screen.findByRole('radio', { name: 'Standard' })).toBeEnabled()
  })

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
    expect(sent).toEqual({ renew_service_id: 11, expected_amount: '30.00' })
  })

  it('says when a plan can no longer be renewed', async () => {
    server.use(http.get('*/api/v2/user/shop/plans', () => success([plan({ renewable: false })])))
    await openSignedIn('/user/services/buy?renew=11')
    expect(await screen.findByText('This plan can no longer be renewed.')).toBeVisible()
    expect(screen.getByRole('link', { name: 'See other plans' })).toBeVisible()
  })
})
