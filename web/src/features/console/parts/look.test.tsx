import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { UserRow, ViewItem, ViewLook } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const row = (id: number, email: string): UserRow => ({
  id,
  email,
  name: email,
  state: 'active',
  area: 'JP',
  balance: '1.00',
  created_at: inDays(-9),
  ends_at: inDays(9),
  fetched_at: null,
  fetches: 17,
  labels: [],
  quota_bytes: null,
  role: '',
  seen_at: null,
  used_bytes: 0,
  used_percent: 0,
})

const view = (over: Partial<ViewItem> = {}): ViewItem => ({
  id: 7,
  name: 'Ending soon',
  is_shared: false,
  is_own: true,
  may_change: true,
  owner: { id: 1, email: 'owner@example.com' },
  search: 'sort=-ends&state=active',
  columns: [],
  is_dense: false,
  version: '3',
  ...over,
})

const sent = vi.fn<(method: string, path: string, body: unknown, version: string | null) => void>()
let views: ViewItem[]
let layout: ViewLook

beforeEach(() => {
  sent.mockClear()
  views = []
  layout = { columns: [], is_dense: false }
  const note = async (request: Request) => {
    const body = request.method === 'DELETE' ? undefined : await request.json()
    sent(
      request.method,
      new URL(request.url).pathname.replace('/api/v2/staff/views', ''),
      body,
      request.headers.get('If-Match'),
    )
    return body
  }
  server.use(
    ...asStaff('user.read', 'console.view', 'user.bulk'),
    http.get('*/api/v2/staff/users/count', () => success({ rows: 3, approximate: false })),
    http.get('*/api/v2/staff/users', () =>
      success({
        rows: [row(1, 'ann@example.com'), row(2, 'bob@example.com'), row(3, 'cy@example.com')],
        next_cursor: '',
      }),
    ),
    http.get('*/api/v2/staff/views', () => success({ views, layout })),
    http.put('*/api/v2/staff/views/layout', async ({ request }) => {
      const { resource: _, ...look } = (await note(request)) as ViewLook & { resource: string }
      layout = look
      return success({})
    }),
    http.post('*/api/v2/staff/views', async ({ request }) => {
      const made = view({
        ...((await note(request)) as ViewItem),
        id: 8,
        version: '9',
      })
      views = [...views, made]
      return success(made)
    }),
    http.put('*/api/v2/staff/views/:id', async ({ request, params }) => {
      const body = (await note(request)) as ViewItem
      views = views.map((one) =>
        String(one.id) === params.id ? { ...one, ...body, version: '10' } : one,
      )
      return success(views.find(({ id }) => String(id) === params.id))
    }),
    http.delete('*/api/v2/staff/views/:id', async ({ request, params }) => {
      await note(request)
      views = views.filter(({ id }) => String(id) !== params.id)
      return success({})
    }),
  )
})

const heads = () =>
  within(screen.getByRole('table', { name: 'Users' }))
    .getAllByRole('columnheader')
    .map(({ textContent }) => textContent)

it('reads and saves no views where the member may not', async () => {
  const asked = vi.fn<(method: string) => void>()
  const refuse = ({ request }: { request: Request }) => {
    asked(request.method)
    return failure(403, { message: 'You may not', code: 'forbidden' })
  }
  server.use(
    ...asStaff('user.read'),
    http.all('*/api/v2/staff/views', refuse),
    http.all('*/api/v2/staff/views/layout', refuse),
  )
  const { user } = await openSignedIn('/admin/users?state=active')
  expect(await screen.findByText('ann@example.com')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Save view' })).not.toBeInTheDocument()

  expect(heads()).toContain('Balance')
  await user.click(screen.getByRole('button', { name: 'Columns' }))
  await user.click(await screen.findByRole('checkbox', { name: 'Balance', hidden: true }))
  await user.click(screen.getByRole('button', { name: 'Columns' }))
  await waitFor(() => expect(heads()).not.toContain('Balance'))
  expect(asked).not.toHaveBeenCalled()
})

describe('a list that is wider than the page', () => {
  it('scrolls by itself, and by the keyboard', async () => {
    const width = vi.spyOn(HTMLTableElement.prototype, 'offsetWidth', 'get').mockReturnValue(957)
    await openSignedIn('/admin/users')
    const box = await screen.findByRole('group', { name: 'Users' })
    expect(box).toHaveAttribute('tabindex', '0')
    expect(within(box).getByRole('table', { name: 'Users' })).toBeVisible()
    width.mockRestore()
  })
})

describe('a cell that is too narrow for what it says', () => {
  it('shows all of it to the pointer that rests on it', async () => {
    const { user } = await openSignedIn('/admin/users')
    const cut = (await screen.findByText('ann@example.com')).closest('a, span') as HTMLElement
    const whole = screen.getByText('bob@example.com')
    Object.defineProperties(cut, { scrollWidth: { value: 300 }, clientWidth: { value: 200 } })
    await user.hover(cut)
    expect(cut.closest('td')).toHaveAttribute('title', 'ann@example.com')
    await user.hover(whole)
    expect(whole.closest('td')).not.toHaveAttribute('title')
  })
})

describe('the columns of a list', () => {
  it('are chosen and ordered in a menu, and kept on the server once it closes', async () => {
    const { user } = await openSignedIn('/admin/users')
    await user.click(await screen.findByRole('button', { name: 'Columns' }))
    await user.click(await screen.findByRole('checkbox', { name: 'Area', hidden: true }))
    await user.click(screen.getByRole('checkbox', { name: 'Plan', hidden: true }))
    await user.click(screen.getByRole('button', { name: 'Move Area up', hidden: true }))
    await user.click(screen.getByRole('switch', { name: 'Dense rows', hidden: true }))
    expect(screen.getByRole('checkbox', { name: 'E-mail', hidden: true })).toBeDisabled()
    expect(sent).not.toHaveBeenCalled()
    await user.click(screen.getByRole('button', { name: 'Columns' }))
    const columns = ['email', 'state', 'ends', 'used', 'balance', 'area', 'seen']
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        'PUT',
        '/layout',
        { resource: 'users', columns, is_dense: true },
        null,
      ),
    )
    expect(heads().slice(0, 7)).toEqual([
      'E-mail',
      'State',
      'Ends',
      'Used',
      'Balance',
      'Area',
      'Last seen',
    ])
    expect(screen.getByRole('table', { name: 'Users' })).toHaveAttribute('data-dense', 'true')
    expect(screen.getAllByText('Japan')).toHaveLength(3)
  })

  it('are those that the member kept', async () => {
    layout = {
      columns: ['email', 'fetches', 'no-longer-there'],
      is_dense: false,
    }
    await openSignedIn('/admin/users')
    await screen.findByRole('link', { name: 'ann@example.com' })
    expect(heads().slice(0, 2)).toEqual(['E-mail', 'Link fetches'])
    expect(heads()).not.toContain('Plan')
  })
})

describe('the widths of columns', () => {
  const edgeOf = (name: string) =>
    screen.findByRole('separator', { name: `Width of the column ${name}` })
  const widthOf = (key: string) =>
    screen.getByRole('table', { name: 'Users' }).style.getPropertyValue(`--w-${key}`)

  it('are changed by keys at the edge of a column, kept on the server, and reset', async () => {
    const { user } = await openSignedIn('/admin/users')
    const edge = await edgeOf('State')
    await user.click(edge)
    expect(edge).toHaveFocus()
    await user.keyboard('{ArrowLeft}{Shift>}{ArrowRight}{/Shift}')
    expect(edge).toHaveAttribute('aria-valuenow', '110')
    expect(widthOf('state')).toBe('110px')
    expect(sent).not.toHaveBeenCalled()
    await user.tab()
    const look = { resource: 'users', columns: [], is_dense: false }
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        'PUT',
        '/layout',
        { ...look, widths: { state: 110 } },
        null,
      ),
    )
    expect(sent).toHaveBeenCalledOnce()
    expect(widthOf('state')).toBe('110px')

    await user.click(edge)
    await user.keyboard('{Enter}')
    await waitFor(() => expect(sent).toHaveBeenLastCalledWith('PUT', '/layout', look, null))
    expect(widthOf('state')).toBe('')
    expect(heads()).toContain('State')
  })

  it('are those that the member kept, but for columns that are not shown', async () => {
    layout = { columns: ['email', 'state'], is_dense: false, widths: { state: 200, area: 90 } }
    const { user } = await openSignedIn('/admin/users')
    const edge = await edgeOf('State')
    expect(edge).toHaveAttribute('aria-valuenow', '200')
    expect(widthOf('area')).toBe('')
    await user.dblClick(edge)
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        'PUT',
        '/layout',
        { resource: 'users', columns: ['email', 'state'], is_dense: false },
        null,
      ),
    )
  })

  it('are forgotten with the rest of the look', async () => {
    layout = { columns: [], is_dense: false, widths: { state: 200 } }
    const { user } = await openSignedIn('/admin/users')
    await edgeOf('State')
    await user.click(screen.getByRole('button', { name: 'Columns' }))
    await user.click(
      await screen.findByRole('button', { name: 'Show the usual columns', hidden: true }),
    )
    await user.click(screen.getByRole('button', { name: 'Columns' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        'PUT',
        '/layout',
        { resource: 'users', columns: [], is_dense: false },
        null,
      ),
    )
  })

  it('change in the address within a view, until it is saved', async () => {
    views = [view({ search: '', widths: { email: 300 } })]
    const { router, user } = await openSignedIn('/admin/users?view=7')
    const edge = await edgeOf('E-mail')
    expect(edge).toHaveAttribute('aria-valuenow', '300')
    await user.click(edge)
    await user.keyboard('{Enter}')
    await waitFor(() => expect(router.state.location.search).toEqual({ view: 7, widths: 'none' }))
    await user.click(edge)
    await user.keyboard('{End}')
    await user.tab()
    await waitFor(() =>
      expect(router.state.location.search).toEqual({ view: 7, widths: 'email:800' }),
    )
    expect(screen.getByText('Changed')).toBeVisible()
    expect(sent).not.toHaveBeenCalled()
    await user.click(await screen.findByRole('button', { name: 'Save view' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        'PUT',
        '/7',
        expect.objectContaining({ widths: { email: 800 } }),
        '"3"',
      ),
    )
    await waitFor(() => expect(router.state.location.search).toEqual({ view: 7 }))
  })

  it('are left alone by an address that no list wrote', async () => {
    await openSignedIn('/admin/users?widths=state:9000,email:abc,,area')
    await edgeOf('State')
    expect(widthOf('state')).toBe('')
  })
})

describe('a view of a list', () => {
  it('is saved from the address under a name, which then names it', async () => {
    const { router, user } = await openSignedIn('/admin/users?state=active&sort=-ends')
    await user.click(await screen.findByRole('button', { name: 'Save view' }))
    const dialog = await screen.findByRole('dialog', { name: 'Save view' })
    await user.type(within(dialog).getByRole('textbox', { name: /^Name/ }), 'Ending')
    await user.click(within(dialog).getByRole('button', { name: 'Save view' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        'POST',
        '',
        {
          resource: 'users',
          name: 'Ending',
          is_shared: false,
          search: 'sort=-ends&state=active',
          columns: [],
          is_dense: false,
        },
        null,
      ),
    )
    await waitFor(() =>
      expect(router.state.location.search).toEqual({
        state: 'active',
        sort: '-ends',
        view: 8,
      }),
    )
    expect(await screen.findByRole('link', { name: 'Ending' })).toHaveAttribute(
      'aria-current',
      'page',
    )
  })

  it('fills the address; what is changed then is saved or taken back', async () => {
    views = [view()]
    const { router, user } = await openSignedIn('/admin/users')
    await user.click(await screen.findByRole('link', { name: 'Ending soon' }))
    await waitFor(() =>
      expect(router.state.location.search).toEqual({
        state: 'active',
        sort: '-ends',
        view: 7,
      }),
    )
    expect(screen.queryByText('Changed')).toBeNull()
    await user.click(await screen.findByRole('button', { name: 'Remove the filter State' }))
    expect(await screen.findByText('Changed')).toBeVisible()
    await user.click(screen.getByRole('link', { name: 'Reset' }))
    await waitFor(() => expect(screen.queryByText('Changed')).toBeNull())

    await user.click(await screen.findByRole('button', { name: 'Remove the filter State' }))
    await user.click(await screen.findByRole('button', { name: 'Save view' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        'PUT',
        '/7',
        expect.objectContaining({ name: 'Ending soon', search: 'sort=-ends' }),
        '"3"',
      ),
    )
    await waitFor(() => expect(screen.queryByText('Changed')).toBeNull())
  })

  it('has columns of its own, which change in the address', async () => {
    views = [view({ columns: ['email', 'area'], search: '' })]
    const { router, user } = await openSignedIn('/admin/users?view=7')
    await screen.findByRole('link', { name: 'ann@example.com' })
    await waitFor(() => expect(heads().slice(0, 2)).toEqual(['E-mail', 'Area']))
    await user.click(screen.getByRole('button', { name: 'Columns' }))
    await user.click(await screen.findByRole('checkbox', { name: 'Link fetches', hidden: true }))
    await waitFor(() =>
      expect(router.state.location.search).toEqual({
        view: 7,
        columns: 'email,area,fetches',
      }),
    )
    expect(screen.getByText('Changed')).toBeVisible()
    expect(sent).not.toHaveBeenCalled()
  })

  it('is shared, renamed and deleted by whom it belongs to, and by nobody else', async () => {
    views = [
      view({ search: '' }),
      view({ id: 9, name: 'Theirs', is_own: false, may_change: false }),
    ]
    const { router, user } = await openSignedIn('/admin/users?view=7')
    const choose = async (action: string) => {
      await user.click(await screen.findByRole('button', { name: 'Actions for Ending soon' }))
      await user.click(await screen.findByRole('menuitem', { name: action, hidden: true }))
      const dialog = await screen.findByRole('dialog', { name: action })
      await user.click(await within(dialog).findByRole('button', { name: action }))
    }
    await choose('Share')
    await waitFor(() =>
      expect(sent).toHaveBeenLastCalledWith(
        'PUT',
        '/7',
        expect.objectContaining({ is_shared: true }),
        '"3"',
      ),
    )
    expect(await screen.findByLabelText('shared')).toBeInTheDocument()
    await choose('Delete')
    await waitFor(() => expect(sent).toHaveBeenLastCalledWith('DELETE', '/7', undefined, null))
    await waitFor(() => expect(router.state.location.search).toEqual({}))

    await user.click(await screen.findByRole('link', { name: 'Theirs' }))
    await waitFor(() => expect(router.state.location.search).toMatchObject({ view: 9 }))
    expect(screen.queryByRole('button', { name: 'Actions for Theirs' })).toBeNull()
  })
})

describe('the keys of a list', () => {
  it('look at a row beside the list, move on and close it', async () => {
    const { router, user } = await openSignedIn('/admin/users')
    await screen.findByRole('link', { name: 'ann@example.com' })
    await user.keyboard('j')
    await waitFor(() => expect(screen.getByRole('link', { name: 'ann@example.com' })).toHaveFocus())
    await user.keyboard(' ')
    const peek = await screen.findByRole('region', { name: 'At a glance' })
    expect(peek).toHaveTextContent(/ann@example\.com.*Area.*Japan.*Link fetches.*17/)
    await user.keyboard('j')
    await waitFor(() => expect(peek).toHaveTextContent('bob@example.com'))
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('region', { name: 'At a glance' })).toBeNull())
    expect(screen.getByRole('link', { name: 'bob@example.com' })).toHaveFocus()
    await user.keyboard('e')
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/users/2'))
  })

  it('select a row, and all up to another', async () => {
    const { user } = await openSignedIn('/admin/users')
    await screen.findByRole('link', { name: 'ann@example.com' })
    await user.keyboard('j')
    await waitFor(() => expect(screen.getByRole('link', { name: 'ann@example.com' })).toHaveFocus())
    await user.keyboard('xjj')
    await waitFor(() => expect(screen.getByRole('link', { name: 'cy@example.com' })).toHaveFocus())
    await user.keyboard('X')
    await waitFor(() => expect(screen.getAllByRole('checkbox', { checked: true })).toHaveLength(3))
  })

  it('are turned off in the help, and on again', async () => {
    const { user } = await openSignedIn('/admin/users')
    await screen.findByRole('link', { name: 'ann@example.com' })
    await user.keyboard('?')
    const help = await screen.findByRole('dialog', {
      name: 'Keyboard shortcuts',
    })
    for (const name of ['Look at a row beside the list', 'New', 'Edit'])
      expect(within(help).getByText(name)).toBeVisible()
    await user.click(
      within(help).getByRole('switch', {
        name: 'Use single keys as shortcuts',
      }),
    )
    await user.click(within(help).getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await user.keyboard('j')
    await new Promise((done) => setTimeout(done, 50))
    expect(screen.getByRole('link', { name: 'ann@example.com' })).not.toHaveFocus()
    localStorage.removeItem('keys-off')
    await user.keyboard('j')
    await waitFor(() => expect(screen.getByRole('link', { name: 'ann@example.com' })).toHaveFocus())
  })
})
