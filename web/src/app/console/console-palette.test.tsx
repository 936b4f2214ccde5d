import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const asked = vi.fn<(path: string) => void>()
const heard = ({ request }: { request: Request }) => {
  const { pathname, search } = new URL(request.url)
  asked(pathname + search)
}

beforeEach(() => {
  asked.mockClear()
  sessionStorage.clear()
  server.use(
    http.get('*/api/v2/staff/tickets', () => success({ tickets: [], total_count: 0 })),
    http.get('*/api/v2/staff/users/17', () => failure(404, { message: 'None', code: 'none' })),
    http.get('*/api/v2/staff/users', (call) => {
      heard(call)
      return success({ rows: [{ id: 17, email: 'ann@example.com', name: 'Ann' }], next_cursor: '' })
    }),
    http.get('*/api/v2/staff/orders', (call) => {
      heard(call)
      return failure(500, { message: 'Broken', code: 'internal' })
    }),
    http.get('*/api/v2/staff/tickets/17', (call) => {
      heard(call)
      return success({ ticket: { no: 17, title: 'No route' }, messages: [], has_more: false })
    }),
    http.get('*/api/v2/staff/link-fetches', (call) => {
      heard(call)
      const user = { id: 5, email: 'bob@example.com' }
      return success({ rows: [{ user }, { user }], next_cursor: '' })
    }),
  )
})

async function type(text: string, ...permissions: string[]) {
  server.use(...asStaff(...permissions))
  const { user } = await openSignedIn('/admin/tickets')
  const [button] = await screen.findAllByRole('button', { name: /^Search/, hidden: true })
  if (button) await user.click(button)
  await user.type(await screen.findByPlaceholderText(/^Where to go/), text)
  return user
}

describe('the palette of the console', () => {
  it('finds by a number what the member may read, whatever fails, and keeps what was opened', async () => {
    const user = await type('17', 'user.read', 'order.read', 'ticket.read')
    expect(await screen.findByText('No route')).toBeVisible()
    expect(asked).toHaveBeenCalledWith('/api/v2/staff/users?q=17&limit=5')
    expect(asked).toHaveBeenCalledWith(expect.stringContaining('/staff/orders?q=17'))
    await user.click(await screen.findByText('ann@example.com'))
    await waitFor(() =>
      expect(sessionStorage.getItem('console-found:7')).toContain('ann@example.com'),
    )
  })

  it('finds who fetched from an address, each once, and asks for nothing else', async () => {
    await type('203.0.113.9', 'ticket.read', 'user.read', 'user.history.read')
    expect(await screen.findAllByText('bob@example.com')).toHaveLength(1)
    expect(asked.mock.calls.flat()).not.toContainEqual(expect.stringContaining('/staff/users'))
  })

  it('finds a page that is not in the menu', async () => {
    const user = await type('csv', 'ticket.read', 'user.import')
    expect(screen.queryByRole('link', { name: 'Import users', hidden: true })).toBeNull()
    expect(await screen.findByRole('button', { name: /^Import users/ })).toBeVisible()
    await user.keyboard('{Enter}')
    const heading = await screen.findByRole('heading', { name: 'Import users' })
    expect(heading).toBeVisible()
    // From there the keyboard and screen readers go on.
    await waitFor(() => expect(heading).toHaveFocus())
  })

  it('takes what is typed before it is there, which the page would take for its own keys', async () => {
    server.use(...asStaff('user.read', 'ticket.read'))
    const { user, router } = await openSignedIn('/admin/tickets')
    expect((await screen.findAllByRole('heading', { name: 'Tickets' }))[0]).toBeVisible()
    await user.keyboard('{Control>}k{/Control}gux{Backspace}')
    const field = await screen.findByPlaceholderText(/^Where to go/)
    expect(field).toHaveValue('gu')
    await waitFor(() => expect(field).toHaveFocus())
    await user.keyboard('i')
    expect(field).toHaveValue('gui')
    expect(router.state.location.pathname).toBe('/admin/tickets')
  })

  it('leaves the keys to the page once its field had the focus', async () => {
    server.use(...asStaff('user.read', 'ticket.read'))
    const { user, router } = await openSignedIn('/admin/tickets')
    expect((await screen.findAllByRole('heading', { name: 'Tickets' }))[0]).toBeVisible()
    await user.keyboard('{Control>}k{/Control}')
    await waitFor(() => expect(screen.getByPlaceholderText(/^Where to go/)).toHaveFocus())
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByPlaceholderText(/^Where to go/)).toBeNull())
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    await user.keyboard('gu')
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/users'))
  })

  it('opens with Enter what came from the server alone', async () => {
    const user = await type('ann@', 'user.read', 'ticket.read')
    expect(await screen.findByRole('button', { name: /^ann@example.com/ })).toBeVisible()
    await user.keyboard('{Enter}')
    await waitFor(() =>
      expect(sessionStorage.getItem('console-found:7')).toContain('ann@example.com'),
    )
  })

  it('asks nothing that the member may not read', async () => {
    await type('17', 'ticket.read')
    expect(await screen.findByText('No route')).toBeVisible()
    expect(asked).toHaveBeenCalledTimes(1)
  })
})
