import { fireEvent, screen, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { GatewaySums, GatewayStatement } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const sums: GatewaySums = {
  gateway: 'alipay',
  received: '120.00',
  returned: '20.00',
  settled: '90.00',
  owed: '10.00',
  statement_to: null,
  outside_received: '30.00',
  outside_returned: '5.00',
}

const statement: GatewayStatement = {
  id: 4,
  gateway: 'alipay',
  name: 'november.csv',
  currency: 'CNY',
  lines: 2,
  first_at: inDays(-20),
  last_at: inDays(-1),
  imported_by: 1,
  created_at: inDays(0),
}

const sent = vi.fn<(body: unknown) => void>()

beforeEach(() => {
  sent.mockClear()
  server.use(
    ...asStaff('money.ledger.read', 'money.reconcile'),
    http.get('*/api/v2/staff/reconciliation', () =>
      HttpResponse.json({ is_success: true, message: '', result_list: [sums] }),
    ),
    http.get('*/api/v2/staff/statements', () =>
      success({ statements: [statement], total_count: 1 }),
    ),
    http.get('*/api/v2/staff/settlements', () => success({ settlements: [], total_count: 0 })),
  )
})

describe('reconciliation', () => {
  it('says what each gateway should still have, and lists its statements', async () => {
    await openSignedIn('/admin/reconciliation')
    expect(await screen.findByText(/should still have ¥10.00/)).toBeVisible()
    expect(screen.getByText(/past it, by hand: received ¥30.00, paid back ¥5.00/)).toBeVisible()
    expect(screen.getByRole('link', { name: /november\.csv/ })).toHaveAttribute(
      'href',
      '/admin/reconciliation/4',
    )
  })

  it('shows what differs, and leads to the recharge', async () => {
    server.use(
      http.get('*/api/v2/staff/statements/4', () =>
        success({
          statement,
          sums: [{ kind: 'payment', count: 2, amount: '60.00', fee: '0.36' }],
          counts: [{ state: 'unpaid', count: 1 }],
          missing: [
            { kind: 'payment', recharge_no: 8, number: 'T8', amount: '5.00', at: inDays(-2) },
          ],
          missing_count: 1,
        }),
      ),
      http.get('*/api/v2/staff/statements/4/lines', () =>
        success({
          lines: [
            {
              position: 2,
              kind: 'payment',
              transaction_id: 'P7',
              trade_no: 'T7',
              amount: '30.00',
              fee: '0.18',
              happened_at: inDays(-3),
              state: 'unpaid',
              recharge_no: 7,
              case_id: null,
              booked: '30.00',
            },
          ],
          total_count: 1,
        }),
      ),
    )
    await openSignedIn('/admin/reconciliation/4')
    expect(await screen.findByRole('link', { name: 'Recharge #8' })).toHaveAttribute(
      'href',
      '/admin/recharges/8',
    )
    expect(await screen.findByRole('link', { name: 'Recharge #7' })).toBeVisible()
    expect(screen.getAllByText('Unpaid here').length).toBeGreaterThan(0)
  })

  it('asks for the difference where a settlement is above the books', async () => {
    const problem = 'The books say that the gateway should have 10.00; this is 2.00 more.'
    server.use(
      http.post('*/api/v2/staff/settlements', async ({ request }) => {
        const body = (await request.json()) as { beyond?: string }
        sent(body)
        if (body.beyond === undefined)
          return failure(400, {
            code: 'invalid_input',
            message: 'Wrong input',
            errors: [{ field: 'beyond', code: 'confirm', message: problem }],
          })
        return success({})
      }),
    )
    const { user } = await openSignedIn('/admin/settlements')
    await user.click(await screen.findByRole('button', { name: 'Enter a settlement' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.selectOptions(dialog.getByLabelText(/^Gateway/), 'alipay')
    await user.type(dialog.getByLabelText(/^Amount settled/), '12.00')
    await user.type(dialog.getByLabelText(/^Number of the payment/), 'PO-1')
    fireEvent.change(dialog.getByLabelText(/^Arrived/), { target: { value: '2026-11-20T10:00' } })
    await user.click(dialog.getByRole('button', { name: 'Enter a settlement' }))
    expect(await dialog.findByText(problem)).toBeVisible()
    await user.type(dialog.getByLabelText(/^Above what the gateway should have/), '2.00')
    await user.click(dialog.getByRole('button', { name: 'Enter a settlement' }))
    await vi.waitFor(() =>
      expect(sent).toHaveBeenLastCalledWith(
        expect.objectContaining({ gross: '12.00', beyond: '2.00', reference: 'PO-1' }),
      ),
    )
  })

  it('imports a file as it was understood', async () => {
    const preview = {
      head: ['time', 'id', 'amount'],
      columns: { time: 'time', transaction: 'id', amount: 'amount' },
      lines: [
        {
          position: 2,
          kind: 'payment',
          transaction_id: 'P7',
          trade_no: '',
          amount: '30.00',
          fee: '0.00',
          happened_at: inDays(-3),
        },
      ],
      count: 1,
      skipped: 0,
      problem: '',
    }
    server.use(
      http.post('*/api/v2/staff/statements/preview', () => success(preview)),
      http.post('*/api/v2/staff/statements', async ({ request }) => {
        sent(await request.json())
        return success(statement)
      }),
      http.get('*/api/v2/staff/statements/4', () =>
        success({ statement, sums: [], counts: [], missing: [], missing_count: 0 }),
      ),
      http.get('*/api/v2/staff/statements/4/lines', () => success({ lines: [], total_count: 0 })),
    )
    const { user } = await openSignedIn('/admin/reconciliation/new')
    const text = 'time,id,amount\n2026-11-20,P7,30.00\n'
    await user.upload(
      await screen.findByLabelText('File'),
      new File([text], 'bill.csv', { type: 'text/csv' }),
    )
    await screen.findByText('P7')
    await user.click(screen.getByRole('button', { name: 'Import' }))
    await vi.waitFor(() =>
      expect(sent).toHaveBeenCalledWith({
        gateway: 'alipay',
        name: 'bill.csv',
        text,
        columns: preview.columns,
      }),
    )
  })
})
