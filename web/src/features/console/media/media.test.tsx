import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { MediaAccount } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const account = (change: Partial<MediaAccount> = {}): MediaAccount => ({
  user_id: 7,
  email: 'ann@example.com',
  name: 'user-7',
  emby_id: 'e7',
  wanted: 'enabled',
  state: 'enabled',
  standing: 'enabled',
  is_held: false,
  is_allowed: true,
  last_error: '',
  created_at: inDays(-9),
  updated_at: inDays(-2),
  ...change,
})

const failed = account({
  user_id: 8,
  email: 'bob@example.com',
  emby_id: '',
  state: 'none',
  standing: 'failed',
  is_held: true,
  last_error: 'the server answered 500',
})

const asked = vi.fn<(search: string) => void>()
const set = vi.fn<(user: string, body: unknown) => void>()

const answer = (accounts: MediaAccount[], isSetUp = true) =>
  http.get('*/api/v2/staff/emby', ({ request }) => {
    asked(new URL(request.url).search)
    return success({ accounts, total_count: accounts.length, is_set_up: isSetUp })
  })

beforeEach(() => {
  asked.mockClear()
  set.mockClear()
  server.use(
    ...asStaff('media.read', 'media.write', 'setting.read', 'user.read'),
    answer([account(), failed]),
    http.put('*/api/v2/staff/emby/:user', async ({ request, params }) => {
      set(String(params.user), await request.json())
      return success({})
    }),
    http.get('*/api/v2/staff/users', ({ request }) =>
      success({
        rows:
          new URL(request.url).searchParams.get('q') === 'eve@example.com'
            ? [
                { id: 30, email: 'eve@example.com.au' },
                { id: 31, email: 'eve@example.com' },
              ]
            : [],
        next_cursor: '',
      }),
    ),
  )
})

type User = Awaited<ReturnType<typeof openSignedIn>>['user']

/** Takes an action of a row and confirms it. */
async function act(user: User, row: string, action: string) {
  await user.click(await screen.findByRole('button', { name: `Actions for ${row}` }))
  await user.click(await screen.findByRole('menuitem', { name: action, hidden: true }))
  const dialog = within(await screen.findByRole('dialog', { name: action }))
  await user.click(await dialog.findByRole('button', { name: action }))
}

describe('media accounts', () => {
  it('say how they stand and what failed, and lead to their users', async () => {
    await openSignedIn('/admin/media-accounts')
    const table = await screen.findByRole('table', { name: 'Media accounts' })
    const rows = await within(table).findAllByRole('row')
    expect(rows[1]).toHaveTextContent('ann@example.com')
    expect(rows[1]).toHaveTextContent('On')
    expect(rows[2]).toHaveTextContent('Failed')
    expect(rows[2]).toHaveTextContent('the server answered 500')
    expect(within(table).getByRole('link', { name: 'bob@example.com' })).toHaveAttribute(
      'href',
      '/admin/users/8',
    )
  })

  it.each([
    ['ann@example.com', 'Turn off', '7', { state: 'disabled', is_held: true }],
    ['ann@example.com', 'Delete the account', '7', { state: 'none', is_held: true }],
    ['bob@example.com', 'Try again', '8', { state: 'enabled', is_held: true }],
    ['bob@example.com', 'Let the plan decide', '8', { state: 'enabled', is_held: false }],
  ])('of %s: %s', async (row, action, id, body) => {
    const { user } = await openSignedIn('/admin/media-accounts')
    await act(user, row, action)
    await waitFor(() => expect(set).toHaveBeenCalledWith(id, body))
  })

  it('are turned on again, or made where there is none', async () => {
    server.use(
      answer([
        account({ wanted: 'disabled', state: 'disabled', standing: 'disabled' }),
        account({ user_id: 9, email: '', wanted: 'none', state: 'none', standing: 'none' }),
      ]),
    )
    const { user } = await openSignedIn('/admin/media-accounts')
    await act(user, 'ann@example.com', 'Turn on')
    await waitFor(() => expect(set).toHaveBeenCalledWith('7', { state: 'enabled', is_held: true }))
    await act(user, '#9', 'Make the account')
    await waitFor(() => expect(set).toHaveBeenCalledWith('9', { state: 'enabled', is_held: true }))
  })

  it('are made for a user who is found by e-mail', async () => {
    const { user } = await openSignedIn('/admin/media-accounts')
    await user.click(await screen.findByRole('button', { name: 'Make an account' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Make an account' }))
    const whom = await dialog.findByRole('textbox', { name: /^E-mail or number/ })
    await user.type(whom, 'eve@example.co')
    await user.click(dialog.getByRole('button', { name: 'Make an account' }))
    expect(await dialog.findByText('Nobody has this e-mail address or number.')).toBeVisible()
    expect(set).not.toHaveBeenCalled()
    await user.type(whom, 'm')
    await user.click(dialog.getByRole('button', { name: 'Make an account' }))
    await waitFor(() => expect(set).toHaveBeenCalledWith('31', { state: 'enabled', is_held: true }))
  })

  it('are narrowed by state and user', async () => {
    await openSignedIn('/admin/media-accounts?standing=failed&q=bob')
    await screen.findByRole('table', { name: 'Media accounts' })
    const searches = () => asked.mock.calls.map(([search]) => new URLSearchParams(search))
    await waitFor(() =>
      expect(
        searches().some((one) => one.get('q') === 'bob' && one.get('standing') === 'failed'),
      ).toBe(true),
    )
  })

  it('need settings that the page names', async () => {
    server.use(answer([], false))
    await openSignedIn('/admin/media-accounts')
    expect(await screen.findByText(/the address of an Emby server and an API key/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Open the settings' })).toHaveAttribute(
      'href',
      '/admin/settings?q=emby',
    )
    expect(screen.queryByRole('button', { name: 'Make an account' })).toBeNull()
  })

  it('are not changed by who may only read', async () => {
    server.use(...asStaff('media.read'))
    await openSignedIn('/admin/media-accounts')
    await screen.findByText('ann@example.com')
    expect(screen.queryByRole('button', { name: /^Actions/ })).toBeNull()
    expect(screen.queryByRole('button', { name: 'Make an account' })).toBeNull()
  })
})
