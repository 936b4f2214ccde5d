import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { queryClient } from '@/app/query-client'
import { staffTicket, staffTicketMessage } from '@/features/console/tickets/staff-ticket.fixture'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const refused = () =>
  failure(403, { code: 'not_allowed', message: 'You are not allowed to do this' })

/** How often the console asked for the member's role. */
let roleReads = 0

/** From now on the server takes the member for one who may do only this; nothing: for a customer. */
function changeRole(...permissions: string[]) {
  roleReads = 0
  const isMember = permissions.length > 0
  const [, role] = asStaff(...permissions)
  server.use(
    http.get('*/api/v2/staff/tickets', refused),
    http.get('*/api/v2/staff/tickets/:id', refused),
    http.post('*/api/v2/staff/tickets/:id/messages', refused),
    http.get('*/api/v2/user/get_me', () =>
      success({
        is_ban: false,
        ban: null,
        staff_role: isMember ? 'finance' : '',
        staff_two_factor_due: false,
      }),
    ),
    http.get('*/api/v2/staff/role', () => void roleReads++),
    role && isMember ? role : http.get('*/api/v2/staff/role', refused),
  )
}

beforeEach(() => {
  localStorage.clear()
  server.use(
    ...asStaff('ticket.read', 'ticket.answer', 'ticket.manage', 'user.read'),
    http.get('*/api/v2/staff/canned-answers', () => success({ canned_answers: [], variables: [] })),
    http.get('*/api/v2/staff/users/:id', refused),
    http.get('*/api/v2/staff/tickets', () =>
      success({ tickets: [staffTicket(12)], total_count: 1 }),
    ),
    http.get('*/api/v2/staff/tickets/:id', () =>
      success({ ticket: staffTicket(12), messages: [staffTicketMessage(1)], has_more: false }),
    ),
    http.get('*/api/v2/staff/orders', () => success({ rows: [], next_cursor: '' })),
    http.get('*/api/v2/staff/orders/count', () => success({ rows: 0, approximate: false })),
  )
})
afterEach(() => vi.useRealTimers())

/** A ticket with a reply that was begun. */
async function openTicket() {
  const opened = await openSignedIn('/admin/tickets/12')
  await opened.user.type(await screen.findByLabelText(/Reply to the user/), 'Half an answer')
  return opened
}

const customerData = () =>
  queryClient
    .getQueryCache()
    .findAll({ queryKey: ['console'] })
    .filter(({ state }) => JSON.stringify(state.data ?? '').includes('lin@example.com'))

const drafts = () => JSON.stringify(Object.entries(localStorage))

describe('a member whose role was changed', () => {
  it('reads it with the first refusal: the menu and the page follow, and a notice says why', async () => {
    const { user } = await openTicket()
    expect(screen.getAllByRole('link', { name: 'Tickets' })).not.toHaveLength(0)
    changeRole('order.read')
    await user.click(screen.getByRole('button', { name: 'Send' }))
    await screen.findByText('404 · Page Not Found')
    expect(screen.getByText(/Your role was changed/)).toBeVisible()
    await waitFor(() => expect(screen.queryByText('Message 1')).not.toBeInTheDocument())
    expect(screen.queryByRole('link', { name: 'Tickets' })).not.toBeInTheDocument()
    expect(screen.getAllByRole('link', { name: 'Orders' })).not.toHaveLength(0)
    await waitFor(() => expect(customerData()).toEqual([]))
    expect(drafts()).toContain('Half an answer')
    await waitFor(() =>
      expect(screen.queryByText('You are not allowed to do this')).not.toBeInTheDocument(),
    )
    await user.click(screen.getByRole('button', { name: 'Close' }))
    expect(screen.queryByText(/Your role was changed/)).not.toBeInTheDocument()
  })

  it('keeps the page that the role still reads, and what is written in it', async () => {
    const { user } = await openTicket()
    changeRole('ticket.read', 'ticket.answer', 'order.read')
    server.use(
      http.get('*/api/v2/staff/tickets/:id', () =>
        success({ ticket: staffTicket(12), messages: [staffTicketMessage(1)], has_more: false }),
      ),
    )
    await user.click(screen.getByRole('button', { name: 'Send' }))
    expect(await screen.findByText(/Your role was changed/)).toBeVisible()
    expect(screen.getByText('Message 1')).toBeVisible()
    expect(screen.getByLabelText(/Reply to the user/)).toHaveValue('Half an answer')
  })

  it('hears of it within a minute without doing anything', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval', 'Date'] })
    await openSignedIn('/admin/orders').catch(() => undefined)
    changeRole('payout.read')
    vi.advanceTimersByTime(61_000)
    expect(await screen.findByText(/Your role was changed/)).toBeVisible()
  })

  it('is not told so where a call is refused and the role is the same', async () => {
    const { user } = await openTicket()
    changeRole('ticket.read', 'ticket.answer', 'ticket.manage', 'user.read')
    await user.click(screen.getByRole('button', { name: 'Send' }))
    expect(await screen.findByText('You are not allowed to do this')).toBeVisible()
    await waitFor(() => expect(roleReads).toBe(1))
    expect(screen.queryByText(/Your role was changed/)).not.toBeInTheDocument()
  })
})

describe('one who was removed from staff', () => {
  it('is told so, keeps the draft, and is led to the pages of customers', async () => {
    const { user } = await openTicket()
    changeRole()
    await user.click(screen.getByRole('button', { name: 'Send' }))
    expect(
      await screen.findByRole('heading', { name: 'You are no longer a member of staff' }),
    ).toBeVisible()
    expect(screen.queryByText('Message 1')).not.toBeInTheDocument()
    expect(screen.queryByRole('navigation', { name: 'Console navigation' })).toBeNull()
    expect(screen.getByRole('link', { name: 'Go to my own customer pages' })).toHaveAttribute(
      'href',
      '/user/dashboard',
    )
    await waitFor(() => expect(customerData()).toEqual([]))
    expect(drafts()).toContain('Half an answer')
  })

  it('is told by the server why they may not act while they are banned', async () => {
    const { user } = await openTicket()
    changeRole()
    server.use(
      http.get('*/api/v2/staff/role', () =>
        failure(403, { code: 'staff_banned', message: 'Your account is banned' }),
      ),
    )
    await user.click(screen.getByRole('button', { name: 'Send' }))
    expect(await screen.findByText('Your account is banned')).toBeVisible()
  })
})

it('one who may act from other networks only is led to the page that says so', async () => {
  const { router, user } = await openTicket()
  changeRole('ticket.read')
  server.use(
    http.get('*/api/v2/staff/role', () =>
      failure(403, { code: 'staff_network', message: 'Not from here' }),
    ),
  )
  await user.click(screen.getByRole('button', { name: 'Send' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/user/account/staff'))
})
