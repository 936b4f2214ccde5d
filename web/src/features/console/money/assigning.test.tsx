import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Assignee, PaymentCaseRow } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const ann: Assignee = { id: 11, name: 'Ann', email: 'ann@example.com', is_former: false }
const me: Assignee = { id: 7, name: '林晓', email: 'lin@example.com', is_former: false }

let row: PaymentCaseRow
const asked = vi.fn<(query: string) => void>()
const sent = vi.fn<(path: string, body: unknown) => void>()

/** What an assignment is answered. */
let answer: () => Response | Promise<Response>

beforeEach(() => {
  asked.mockClear()
  sent.mockClear()
  row = {
    id: 2,
    kind: 'wrong_amount',
    state: 'open',
    waits: false,
    gateway: 'alipay',
    transaction_id: 'T77',
    trade_no: 'TRADE4',
    amount: '24.00',
    currency: 'CNY',
    recharge_no: 4,
    user_id: 9,
    credit: null,
    reason: '',
    decided_by: null,
    answer: '',
    created_at: inDays(-1),
    ended_at: null,
  }
  answer = () => success({})
  server.use(
    ...asStaff('payment.case.read', 'payment.case.decide', 'console.view'),
    http.get('*/api/v2/staff/views', () =>
      success({ views: [], layout: { columns: [], is_dense: false } }),
    ),
    http.get('*/api/v2/staff/payment-cases/assignees', () => success([me, ann])),
    http.get('*/api/v2/staff/payment-cases/:id', () =>
      success({ ...row, candidates: [], bookings: [], events: [] }),
    ),
    http.get('*/api/v2/staff/payment-cases', ({ request }) => {
      asked(new URL(request.url).search)
      return success({ total_count: 1, cases: [row] })
    }),
    http.put('*/api/v2/staff/payment-cases/:id/assignee', async ({ request }) => {
      const body = (await request.json()) as { assigned_to: number }
      sent(new URL(request.url).pathname, body)
      const answered = await answer()
      if (answered.ok) {
        const to = [me, ann].find(({ id }) => id === body.assigned_to)
        const { assigned_to: _, ...rest } = row
        row = { ...rest, ...(to && { assigned_to: to }) }
      }
      return answered
    }),
  )
})

const path = '/api/v2/staff/payment-cases/2/assignee'

/** What the list shows of who has the row. */
const holder = () =>
  within(screen.getByRole('table', { name: 'Payment cases' }))
    .getAllByRole('cell')
    .find((cell) => cell.getAttribute('data-header') === 'Assigned to')?.textContent

describe('who a row is assigned to', () => {
  it('is changed in the list at once, before the server has answered, and undone', async () => {
    let respond: (answered: Response) => void = () => undefined
    answer = () =>
      new Promise((resolve) => {
        respond = resolve
      })
    const { user } = await openSignedIn('/admin/payment-cases')
    await user.click(await screen.findByRole('button', { name: 'Actions for #2' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Assign to me', hidden: true }))
    await waitFor(() => expect(sent).toHaveBeenCalledOnce())
    expect(sent).toHaveBeenCalledWith(path, { assigned_to: 7, was_assigned_to: 0 })
    expect(holder()).toBe('林晓')
    respond(success({}))
    answer = () => success({})
    await user.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() =>
      expect(sent).toHaveBeenLastCalledWith(path, { assigned_to: 0, was_assigned_to: 7 }),
    )
    await waitFor(() => expect(holder()).toBe('Nobody'))
  })

  it('is taken by a key, and is as before where the server refuses it', async () => {
    answer = () => failure(409, { code: 'assignment_changed', message: 'Somebody was faster' })
    const { user } = await openSignedIn('/admin/payment-cases')
    await screen.findByRole('button', { name: 'Actions for #2' })
    await user.keyboard('ja')
    expect(await screen.findByText('Somebody was faster')).toBeVisible()
    expect(sent).toHaveBeenCalledOnce()
    await waitFor(() => expect(holder()).toBe('Nobody'))
  })

  it('narrows the list', async () => {
    const { router, user } = await openSignedIn('/admin/payment-cases?assignee=none')
    await waitFor(() =>
      expect(asked).toHaveBeenCalledWith(expect.stringContaining('assignee=none')),
    )
    await user.click(await screen.findByRole('button', { name: /^Assigned to/ }))
    const choice = await screen.findByRole('combobox', { name: 'Assigned to', hidden: true })
    expect(within(choice).getByRole('option', { name: 'Me', hidden: true })).toBeInTheDocument()
    await user.selectOptions(choice, '11')
    await waitFor(() => expect(router.state.location.search).toEqual({ assignee: 11 }))
    await waitFor(() => expect(asked).toHaveBeenCalledWith(expect.stringContaining('assignee=11')))
  })

  it('is said on the page of the row, where another member is chosen', async () => {
    row = { ...row, assigned_to: { ...ann, id: 12, name: 'Bo', is_former: true } }
    const { user } = await openSignedIn('/admin/payment-cases/2')
    const facts = await screen.findByRole('region', { name: 'Facts' })
    expect(facts).toHaveTextContent(/Assigned to.*Bo \(former\)/)
    await user.click(await within(facts).findByRole('button', { name: 'Assign to…' }))
    const dialog = await screen.findByRole('dialog', { name: 'Assign to…' })
    await user.selectOptions(await within(dialog).findByRole('combobox', { name: /^Member/ }), '11')
    await user.click(within(dialog).getByRole('button', { name: 'Assign to…' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(path, { assigned_to: 11, was_assigned_to: 12 }),
    )
    await waitFor(() => expect(facts).toHaveTextContent(/Assigned to.*Ann/))
    await user.click(within(facts).getByRole('button', { name: 'Unassign' }))
    await waitFor(() => expect(facts).toHaveTextContent(/Assigned to.*Nobody/))
  })

  it('stays as it was once the case has ended', async () => {
    row = { ...row, state: 'dismissed', ended_at: inDays(0), assigned_to: ann }
    await openSignedIn('/admin/payment-cases/2')
    expect(await screen.findByRole('region', { name: 'Facts' })).toHaveTextContent(/Ann/)
    expect(screen.queryByRole('button', { name: 'Assign to me' })).toBeNull()
  })
})
