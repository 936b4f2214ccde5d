import { screen } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { GatewaySums, GatewayStatement } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const sums: GatewaySums = {
  gateway: 'alipay',
  received: '120.00',
  returned: '20.00',
  settled: '90.00',
  owed: '10.00',
  statement_to: null,
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
    expect(await screen.findByText(/should still have 10.00 CNY/)).toBeVisible()
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
