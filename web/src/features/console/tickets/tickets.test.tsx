import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { StaffTicket, StaffTicketMessage } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'
import { staffTicket as ticket, staffTicketMessage as message } from './staff-ticket.fixture'

const all = ['ticket.read', 'ticket.answer', 'ticket.manage', 'ticket.merge']
const asked = vi.fn<(search: string) => void>()
let list: StaffTicket[]
let messages: StaffTicketMessage[]

beforeEach(() => {
  asked.mockClear()
  list = Array.from({ length: 300 }, (_, index) => ticket(300 - index))
  messages = [message(1)]
  server.use(
    ...asStaff(...all),
    http.get('*/api/v2/staff/canned-answers', () =>
      success({
        canned_answers: [
          { id: 5, name: 'Hello', content_zh: '', content_en: '', updated_at: inDays(0) },
        ],
        variables: [],
      }),
    ),
    http.get('*/api/v2/staff/tickets', ({ request }) => {
      const { search, searchParams } = new URL(request.url)
      asked(search)
      const offset = Number(searchParams.get('offset') ?? 0)
      const limit = Number(searchParams.get('limit') ?? 50)
      return success({ tickets: list.slice(offset, offset + limit), total_count: list.length })
    }),
    http.get('*/api/v2/staff/tickets/:id', ({ params }) =>
      success({
        ticket: list.find(({ no }) => no === Number(params.id)) ?? ticket(Number(params.id)),
        messages,
        has_more: false,
      }),
    ),
  )
})

describe('the list of the console', () => {
  it('reads part by part, with few rows in the page and the count of all', async () => {
    await openSignedIn('/admin/tickets')
    const table = await screen.findByRole('table', { name: 'Tickets' })
    expect(await screen.findByText('300 in all')).toBeVisible()
    expect(table).toHaveAttribute('aria-rowcount', '301')
    expect(within(table).getAllByRole('row').length).toBeLessThanOrEqual(60)
    expect(within(table).getByRole('link', { name: 'Question 300' })).toHaveAttribute(
      'href',
      '/admin/tickets/300',
    )
    expect(asked.mock.calls.some(([search]) => search.includes('offset=50'))).toBe(false)
  })

  it('names on cards, too, to whom a ticket is assigned', async () => {
    const member = { id: 2, name: 'Ann', email: 'ann@example.com' }
    list = [ticket(2, { assigned_to: member }), ticket(1)]
    await openSignedIn('/admin/tickets')
    const table = await screen.findByRole('table', { name: 'Tickets' })
    expect(within(table).getByRole('cell', { name: 'Ann' })).toHaveAttribute('data-place', 'fact')
    expect(within(table).getByRole('cell', { name: 'nobody' })).toBeInTheDocument()
  })

  it('keeps filters in the address alone: from there to the call, and back by a chip', async () => {
    const { router, user } = await openSignedIn('/admin/tickets?awaiting=user&q=5')
    await screen.findByRole('table', { name: 'Tickets' })
    expect(asked.mock.calls[0]?.[0]).toContain('awaiting=user')
    expect(asked.mock.calls[0]?.[0]).toContain('q=5')
    await user.click(screen.getByRole('button', { name: 'Remove the filter Turn' }))
    await waitFor(() => expect(router.state.location.searchStr).toBe('?q=5'))
    await waitFor(() => expect(asked.mock.calls.at(-1)?.[0]).not.toContain('awaiting'))
  })

  it('is filtered by its menu, which `f` opens', async () => {
    const { router, user } = await openSignedIn('/admin/tickets')
    await screen.findByRole('table', { name: 'Tickets' })
    await user.keyboard('f')
    await user.click(await screen.findByRole('button', { name: 'State', hidden: true }))
    await user.click(await screen.findByRole('checkbox', { name: 'Closed', hidden: true }))
    await waitFor(() => expect(router.state.location.searchStr).toBe('?status=closed'))
  })

  it('moves by `j` and `k`, and opens by Enter', async () => {
    const { router, user } = await openSignedIn('/admin/tickets')
    await screen.findByRole('table', { name: 'Tickets' })
    await user.keyboard('j')
    await waitFor(() => expect(screen.getByRole('link', { name: 'Question 300' })).toHaveFocus())
    await user.keyboard('j')
    await waitFor(() => expect(screen.getByRole('link', { name: 'Question 299' })).toHaveFocus())
    await user.keyboard('k{Enter}')
    await waitFor(() => expect(router.state.location.pathname).toMatch(/^\/admin\/tickets\/\d+$/))
  })

  it('says that nothing matches, and clears the filters', async () => {
    list = []
    const { router, user } = await openSignedIn('/admin/tickets?awaiting=user')
    expect(await screen.findByText('Nothing matches these filters.')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Clear filters' }))
    await waitFor(() => expect(router.state.location.searchStr).toBe(''))
    expect(await screen.findByText('There are no tickets yet.')).toBeVisible()
  })

  it('says what is wrong, with another try', async () => {
    server.use(
      http.get('*/api/v2/staff/tickets', () => failure(400, { message: 'Broken', code: 'broken' })),
    )
    await openSignedIn('/admin/tickets')
    expect(await screen.findByText('Broken')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Try again' })).toBeVisible()
  })
})

describe('a ticket', () => {
  const sent = vi.fn<(path: string, body: unknown) => void>()
  beforeEach(() => {
    sent.mockClear()
    const take = async ({ request }: { request: Request }) => {
      sent(new URL(request.url).pathname, await request.json())
      return success(message(2, { by_staff: true }))
    }
    server.use(
      http.post('*/api/v2/staff/tickets/:id/messages', take),
      http.post('*/api/v2/staff/tickets/:id/notes', take),
      http.patch('*/api/v2/staff/tickets/:id', async ({ request }) => {
        sent(new URL(request.url).pathname, await request.json())
        return success(ticket(300, { assigned_to: { id: 7, name: 'Me', email: 'me@example.com' } }))
      }),
    )
  })

  it('is answered and resolved by keys, and the next one is shown', async () => {
    const { router, user } = await openSignedIn('/admin/tickets/300')
    await screen.findByText('Message 1')
    await waitFor(() => expect(screen.getByRole('link', { name: 'Question 299' })).toBeVisible())
    await user.keyboard('r')
    await user.keyboard('Try again{Control>}{Shift>}{Enter}{/Shift}{/Control}')
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/api/v2/staff/tickets/300/messages', {
        content: 'Try again',
        status: 'resolved',
      }),
    )
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/tickets/299'))
  })

  it('shows an answer once while the lists are read again', async () => {
    const { user } = await openSignedIn('/admin/tickets/300')
    await screen.findByText('Message 1')
    await waitFor(() => expect(screen.getByRole('link', { name: 'Question 299' })).toBeVisible())
    server.use(
      http.get('*/api/v2/staff/tickets', () => new Promise<never>(() => undefined)),
      http.post('*/api/v2/staff/tickets/:id/messages', () => {
        messages = [message(1), message(2, { by_staff: true, content: 'Try again' })]
        return success(messages[1])
      }),
    )
    await user.keyboard('r')
    await user.keyboard('Try again{Control>}{Enter}{/Control}')
    const log = within(await screen.findByRole('log'))
    await waitFor(() => expect(log.getByText('Try again').closest('[data-pending]')).toBeNull())
  })

  it('keeps a draft under its own number, and a note apart from answers', async () => {
    const { router, user } = await openSignedIn('/admin/tickets/300')
    await screen.findByText('Message 1')
    await user.keyboard('n')
    await user.keyboard('Knows us')
    await router.navigate({ href: '/admin/tickets/299' })
    expect(await screen.findByRole('textbox', { name: /^Reply to the user/ })).toHaveValue('')
    await router.navigate({ href: '/admin/tickets/300' })
    const field = await screen.findByRole('textbox', { name: /^A note/ })
    expect(field).toHaveValue('Knows us')
    await user.click(screen.getByRole('button', { name: 'Keep note' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/api/v2/staff/tickets/300/notes', { content: 'Knows us' }),
    )
  })

  it('puts what was not sent back into the field', async () => {
    server.use(
      http.post('*/api/v2/staff/tickets/:id/messages', () =>
        failure(409, { message: 'It is closed', code: 'ticket_closed' }),
      ),
    )
    const { user } = await openSignedIn('/admin/tickets/300')
    const field = await screen.findByRole('textbox', { name: /^Reply to the user/ })
    await user.type(field, 'Hello')
    await user.click(screen.getByRole('button', { name: 'Send' }))
    expect(await screen.findByText('It is closed')).toBeVisible()
    expect(field).toHaveValue('Hello')

    server.use(http.post('*/api/v2/staff/tickets/:id/messages', () => success({})))
    await user.click(screen.getByRole('button', { name: 'Send' }))
    await waitFor(() => expect(screen.queryByText('It is closed')).toBeNull())
  })

  it('warns where somebody else wrote meanwhile', async () => {
    const { user } = await openSignedIn('/admin/tickets/300')
    await user.type(await screen.findByRole('textbox', { name: /^Reply to the user/ }), 'Hello')
    messages = [
      ...messages,
      message(2, { by_staff: true, author: { id: 9, name: 'Wang', email: '' } }),
    ]
    expect(await screen.findByText(/Wang wrote while you were typing/)).toBeVisible()
  })

  it('is taken at once, and given back within ten seconds', async () => {
    const { user } = await openSignedIn('/admin/tickets/300')
    await user.click(await screen.findByRole('button', { name: 'Actions for Question 300' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Assign to me', hidden: true }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/api/v2/staff/tickets/300', {
        assigned_to: 7,
        was_assigned_to: 0,
      }),
    )
    await user.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() =>
      expect(sent).toHaveBeenLastCalledWith('/api/v2/staff/tickets/300', {
        assigned_to: 0,
        was_assigned_to: 7,
      }),
    )
  })

  it('is merged only after a dialog that says what happens, with the focus on its field', async () => {
    const { user } = await openSignedIn('/admin/tickets/300')
    await user.click(await screen.findByRole('button', { name: 'Actions for Question 300' }))
    await user.click(
      await screen.findByRole('menuitem', { name: 'Merge into another ticket', hidden: true }),
    )
    const dialog = await screen.findByRole('dialog', { name: 'Merge into another ticket' })
    expect(await within(dialog).findByText(/All messages of ticket #300/)).toBeVisible()
    await waitFor(() =>
      expect(within(dialog).getByRole('textbox', { name: /^Number of the other/ })).toHaveFocus(),
    )
    await user.click(within(dialog).getByRole('button', { name: 'Merge into another ticket' }))
    expect(await within(dialog).findByText('This is needed.')).toBeVisible()
  })
})

describe('the console', () => {
  it('is no page for who is not of staff', async () => {
    server.use(
      http.get('*/api/v2/user/get_me', () =>
        success({ is_ban: false, ban: null, staff_role: '', staff_two_factor_due: false }),
      ),
    )
    await openSignedIn('/admin/tickets')
    expect(await screen.findByText('404 · Page Not Found')).toBeVisible()
    expect(screen.queryByText('Console')).toBeNull()
  })

  it('has no page that a member may not read', async () => {
    server.use(...asStaff('announcement.read'))
    await openSignedIn('/admin/tickets')
    expect(await screen.findByText('404 · Page Not Found')).toBeVisible()
    expect(screen.queryByRole('link', { name: 'Tickets' })).toBeNull()
    expect(asked).not.toHaveBeenCalled()
  })

  it('leads to the second factor where one is due', async () => {
    server.use(
      http.get('*/api/v2/user/get_me', () =>
        success({ is_ban: false, ban: null, staff_role: 'owner', staff_two_factor_due: true }),
      ),
    )
    const { router } = await openSignedIn('/admin')
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/account/staff'))
  })

  it('leads to its pages by `g` and a letter, and by the palette', async () => {
    const { router, user } = await openSignedIn('/admin')
    await screen.findByRole('heading', { level: 1, name: 'Overview' })
    await user.keyboard('gt')
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/tickets'))
    await screen.findByRole('table', { name: 'Tickets' })
    await user.keyboard('{Control>}k{/Control}')
    await user.click(await screen.findByRole('button', { name: /^Overview/ }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin'))
  })
})

describe('what customers send', () => {
  it('is shown where it is a picture, and else saved by its name', async () => {
    const file = { id: 'a', created_at: inDays(-1), size: 2048, width: 0, height: 0 }
    const text = { ...file, id: 'b', name: 'client.log', media_type: 'text/plain' as const }
    const picture = {
      ...file,
      name: 'screen.png',
      media_type: 'image/png' as const,
      width: 640,
      height: 480,
    }
    messages = [message(1, { attachments: [picture, text] })]
    const shown: Blob[] = []
    vi.stubGlobal(
      'URL',
      Object.assign(class extends URL {}, {
        createObjectURL: (blob: Blob) => `blob:${shown.push(blob)}`,
        revokeObjectURL: () => undefined,
      }),
    )
    server.use(
      http.get('*/api/v2/staff/ticket-attachments/:id', () =>
        HttpResponse.arrayBuffer(new ArrayBuffer(8)),
      ),
    )
    const { user } = await openSignedIn('/admin/tickets/300')
    const open = await screen.findByRole('button', { name: 'Show screen.png' })
    await waitFor(() => expect(shown[0]?.type).toBe('image/png'))
    await user.click(open)
    const dialog = await screen.findByRole('dialog', { name: 'screen.png' })
    expect(within(dialog).getByRole('img', { name: 'screen.png' })).toBeVisible()
    expect(within(dialog).getByRole('button', { name: 'Download' })).toBeVisible()
    await user.keyboard('{Escape}')
    expect(screen.getByRole('button', { name: /client\.log/ })).toBeVisible()
    vi.unstubAllGlobals()
  })
})

it('what went wrong on a page is not said over the next one', async () => {
  server.use(
    http.post('*/api/v2/staff/tickets/:id/messages', () =>
      failure(422, { code: 'invalid_input', message: 'Not like this' }),
    ),
  )
  const { router, user } = await openSignedIn('/admin/tickets/300')
  await user.type(await screen.findByLabelText(/Reply to the user/), 'Hello')
  await user.click(screen.getByRole('button', { name: 'Send' }))
  expect(await screen.findByText('Not like this')).toBeVisible()
  await router.navigate({ to: '/admin/tickets' })
  await waitFor(() => expect(screen.queryByText('Not like this')).not.toBeInTheDocument())
})
