import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { InvoiceItem, PurchaseRecord } from '@/lib/api/gen/types.gen'
import { inDays, recharge, wallet } from '@/test/fixtures'
import { failure, server, site, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const listPath = '*/api/v2/user/wallet/invoices'
const onePath = '*/api/v2/user/wallet/invoices/:id'

const invoice = (change: Partial<InvoiceItem> = {}): InvoiceItem => ({
  id: 'a',
  no: 12,
  created_at: '2026-11-02T04:00:00Z',
  kind: 'order',
  reference: 77,
  total: '70.10',
  currency: 'CNY',
  lines: [
    { kind: 'plan', name: 'Standard', text: '', months: 3, amount: '90.00' },
    { kind: 'credit', name: 'Light', text: '', amount: '-9.90' },
    { kind: 'discount', name: 'AUTUMN', text: '', amount: '-10.00' },
  ],
  ...change,
})
const ofRecharge = invoice({
  id: 'b',
  no: 11,
  kind: 'recharge',
  total: '50.50',
  lines: [
    { kind: 'recharge', name: 'WeChat Pay', text: '', amount: '50.00' },
    { kind: 'fee', name: 'WeChat Pay', text: '', amount: '0.50' },
  ],
})

const has = (...invoices: InvoiceItem[]) =>
  server.use(http.get(listPath, () => success({ invoices, total_count: invoices.length })))

beforeEach(() =>
  server.use(
    http.get('*/api/v2/site', () => success({ ...site, time_zone: 'Asia/Shanghai' })),
    http.get('*/api/v2/user/wallet', () => success(wallet({ created_at: inDays(-40) }))),
    http.get('*/api/v2/user/get_me', () =>
      success({ user_id: 7, user_name: 'Lin', email: 'lin@example.com' }),
    ),
  ),
)

describe('the invoices', () => {
  it('say what they are for, how much it was, and what went back', async () => {
    has(invoice({ refund: { amount: '20.00', created_at: inDays(-1) } }), ofRecharge)
    await openSignedIn('/user/wallet/billing')
    const row = await screen.findByRole('row', { name: /Plan · Standard, 3 months/ })
    expect(row).toHaveTextContent('¥70.10')
    expect(row).toHaveTextContent('Partly refunded')
    expect(within(row).getByRole('link')).toHaveAttribute(
      'href',
      '/user/wallet/billing/view-invoice/12',
    )
    expect(screen.getByRole('row', { name: /Top-up · WeChat Pay/ })).toHaveTextContent('Paid')
  })

  it('are shown for a month, which is in the address', async () => {
    const asked: (string | null)[] = []
    server.use(
      http.get(listPath, ({ request }) => {
        const month = new URL(request.url).searchParams.get('month')
        asked.push(month)
        return success(
          month ? { invoices: [], total_count: 0 } : { invoices: [invoice()], total_count: 1 },
        )
      }),
    )
    const { router, user } = await openSignedIn('/user/wallet/billing')
    await screen.findByRole('row', { name: /Standard/ })
    const choice = screen.getByRole('combobox', { name: 'Month' })
    await waitFor(() => expect(within(choice).getAllByRole('option').length).toBeGreaterThan(1))
    const [, latest] = within(choice).getAllByRole<HTMLOptionElement>('option')
    await user.selectOptions(choice, latest?.value ?? '')
    expect(await screen.findByText('No invoices in this month.')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Save as CSV' })).toBeDisabled()
    expect(asked.at(-1)).toBe(latest?.value)
    expect(router.state.location.search).toMatchObject({ month: latest?.value })
  })

  it('are kept as a table that spreadsheets read and run nothing of', async () => {
    has(invoice({ lines: [{ kind: 'plan', name: '=1+1', text: '', amount: '9.00' }] }), {
      ...ofRecharge,
      lines: [{ kind: 'credit', name: 'A "big" one', text: '', amount: '-5.00' }],
      total: '-5.00',
    })
    const kept: Blob[] = []
    vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
      kept.push(file as Blob)
      return 'blob:kept'
    })
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
    const { user } = await openSignedIn('/user/wallet/billing?month=2026-11')
    await user.click(await screen.findByRole('button', { name: 'Save as CSV' }))
    await waitFor(() => expect(click).toHaveBeenCalled())
    const bytes = new Uint8Array((await kept[0]?.arrayBuffer()) ?? [])
    expect(Array.from(bytes.slice(0, 3))).toEqual([0xef, 0xbb, 0xbf])
    expect(new TextDecoder().decode(bytes).split('\r\n')).toEqual([
      '"Number","When","What","Amount","Currency","Refunded"',
      '"12","2026-11-02T04:00:00Z","Plan · =1+1","70.10","CNY",""',
      '"11","2026-11-02T04:00:00Z","Credit for the former service · A ""big"" one","-5.00","CNY",""',
      '',
    ])
    vi.restoreAllMocks()
  })

  it('are none at first, and can be asked for again', async () => {
    server.use(
      http.get(listPath, () => failure(409, { message: 'Not now', code: 'busy' }), { once: true }),
    )
    const { user } = await openSignedIn('/user/wallet/billing')
    expect(await screen.findByText('Not now')).toBeVisible()
    has()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText(/No invoices yet/)).toBeVisible()
  })
})

describe('one invoice', () => {
  it('has all that a bill must say', async () => {
    server.use(
      http.get(onePath, () =>
        success({
          ...invoice({ refund: { amount: '70.10', created_at: inDays(-1) } }),
          site_name: 'Fast Lane',
        }),
      ),
    )
    const print = vi.spyOn(window, 'print').mockImplementation(() => undefined)
    const { user } = await openSignedIn('/user/wallet/billing/view-invoice/12')
    const sheet = await screen.findByRole('article')
    expect(await within(sheet).findByText(/lin@example.com/)).toBeVisible()
    for (const text of [
      'Fast Lane',
      'Invoice #12',
      'Lin',
      '#77',
      'Plan · Standard, 3 months¥90.00',
      'Credit for the former service · Light-¥9.90',
      'Discount · AUTUMN-¥10.00',
      'Total¥70.10',
      'Refunded',
      '-¥70.10',
    ]) {
      expect(sheet).toHaveTextContent(text)
    }
    await user.click(screen.getByRole('button', { name: 'Print or save as PDF' }))
    expect(print).toHaveBeenCalled()
    print.mockRestore()
  })

  it('that is not there is said to be none', async () => {
    server.use(
      http.get(onePath, () =>
        failure(404, { message: 'There is no such invoice', code: 'invoice_not_found' }),
      ),
    )
    await openSignedIn('/user/wallet/billing/view-invoice/9')
    expect(await screen.findByText(/no such invoice in your account/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'All invoices' })).toBeVisible()
  })

  it('can be asked for again', async () => {
    server.use(
      http.get(onePath, () => failure(409, { message: 'Not now', code: 'busy' }), { once: true }),
    )
    const { user } = await openSignedIn('/user/wallet/billing/view-invoice/12')
    expect(await screen.findByText('Not now')).toBeVisible()
    server.use(http.get(onePath, () => success({ ...ofRecharge, site_name: 'Fast Lane' })))
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('Fee · WeChat Pay')).toBeVisible()
  })
})

describe('the recharges', () => {
  const path = '*/api/v2/user/wallet/recharge'

  it('lead on to the payment of one that waits, and to the invoice of one that was paid', async () => {
    server.use(
      http.get(path, () =>
        success({
          created_at: inDays(-90),
          total_count: 3,
          recharge_records: [
            recharge(),
            recharge({ id: 'c', no: 29, expires_at: inDays(-0.001) }),
            recharge({ id: 'b', no: 30, state: 'paid', invoice_id: 'inv' }),
          ],
        }),
      ),
    )
    await openSignedIn('/user/wallet/recharge')
    const waiting = await screen.findByRole('row', { name: /Waiting for payment/ })
    expect(within(waiting).getByRole('link', { name: 'Go on paying' })).toHaveAttribute(
      'href',
      expect.stringContaining('id=31'),
    )
    const over = screen.getByRole('row', { name: /#29/ })
    expect(over).toHaveTextContent('Ended unpaid')
    expect(within(over).queryByRole('link', { name: 'Go on paying' })).not.toBeInTheDocument()
    const paid = screen.getByRole('row', { name: /Paid Invoice/ })
    expect(within(paid).getByRole('link', { name: 'Invoice' })).toHaveAttribute(
      'href',
      '/user/wallet/billing/view-invoice/inv',
    )
    expect(screen.getByRole('link', { name: 'Top up' })).toBeVisible()
  })

  it('are none at first, and can be asked for again', async () => {
    server.use(
      http.get(path, () => failure(409, { message: 'Not now', code: 'busy' }), { once: true }),
    )
    const { user } = await openSignedIn('/user/wallet/recharge')
    expect(await screen.findByText('Not now')).toBeVisible()
    server.use(
      http.get(path, () =>
        success({ created_at: inDays(-90), total_count: 0, recharge_records: [] }),
      ),
    )
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('No top-ups yet.')).toBeVisible()
  })
})

describe('the purchase records', () => {
  const path = '*/api/v2/user/wallet/purchase-records'
  const record = (no: number): PurchaseRecord => ({
    id: `p${no}`,
    no,
    created_at: inDays(-no),
    ends_at: inDays(60),
    kind: 'plan',
    money_amount: '90.00',
    months: 3,
    renew_at: null,
    shop_id: 20,
    shop_name: `Plan ${no}`,
    state: no === 1 ? 'refunded' : 'paid',
  })

  it('are a table with pages', async () => {
    server.use(
      http.get(path, ({ request }) => {
        const query = new URL(request.url).searchParams
        const offset = Number(query.get('offset'))
        const all = Array.from({ length: 17 }, (_, index) => record(index + 1))
        return success(all.slice(offset, offset + Number(query.get('limit'))))
      }),
    )
    const { user } = await openSignedIn('/user/wallet/purchase-records-old')
    const row = await screen.findByRole('row', { name: /Plan 1 / })
    expect(row).toHaveTextContent('Plan, 3 months')
    expect(row).toHaveTextContent('Refunded')
    expect(screen.getAllByRole('row')).toHaveLength(16)
    await user.click(screen.getByRole('link', { name: 'Older' }))
    expect(await screen.findByRole('row', { name: /Plan 17/ })).toBeVisible()
    expect(screen.getAllByRole('row')).toHaveLength(3)
  })

  it('are none at first', async () => {
    server.use(http.get(path, () => success([])))
    await openSignedIn('/user/wallet/purchase-records-old')
    expect(await screen.findByText('Nothing bought yet.')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Buy a plan' })).toBeVisible()
  })
})
