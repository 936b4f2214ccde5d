import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type {
  CannedAnswerItem,
  StaffCommission,
  StaffGuide,
  StaffShareAccount,
} from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const guide = (change: Partial<StaffGuide> = {}): StaffGuide => ({
  id: 3,
  slug: 'stash',
  title: 'How to use Stash',
  title_zh: '如何使用 Stash',
  title_en: '',
  body: 'Import {{link}} of {{site_name}}.',
  body_zh: '导入 {{link}}。',
  body_en: '',
  category: 'Clients',
  category_zh: '客户端',
  category_en: '',
  client_id: 'stash',
  systems: ['ios'],
  position: 10,
  is_published: false,
  created_at: inDays(-9),
  updated_at: inDays(-1),
  version: '4',
  ...change,
})

const canned: CannedAnswerItem = {
  id: 5,
  name: 'Import again',
  content_zh: '请重新导入。',
  content_en: 'Please import again.',
  updated_at: inDays(-1),
  version: '6',
}

const share: StaffShareAccount = {
  id: 7,
  name: 'Films',
  login: 'films@example.com',
  plan_ids: [2],
  max_users: 5,
  is_enabled: true,
  has_totp: true,
  secret_version: 2,
  users: 3,
  rotated_at: inDays(-2),
  created_at: inDays(-9),
  updated_at: inDays(-2),
  version: '8',
}

const commission: StaffCommission = {
  no: 1,
  inviter_id: 11,
  inviter: { id: 11, email: 'inviter@example.com' },
  buyer_id: 12,
  buyer: { id: 12, email: 'buyer@example.com' },
  username: 'Buyer',
  order_no: 90,
  amount: '3.00',
  reversed: '1.20',
  owed: '1.00',
  settled: '0.00',
  state: 'released',
  created_at: inDays(-3),
  release_at: inDays(4),
}

type Sent = { call: string; version: string | null; body: unknown }

const sent = vi.fn<(call: Sent) => void>()

/** Answers a change, and notes what was sent. */
const taking =
  (answer: object) =>
  async ({ request }: { request: Request }) => {
    const text = await request.text()
    sent({
      call: `${request.method} ${new URL(request.url).pathname.replace('/api/v2/staff', '')}`,
      version: request.headers.get('If-Match'),
      body: text ? JSON.parse(text) : undefined,
    })
    return success(answer)
  }

beforeEach(() => {
  sent.mockClear()
  sessionStorage.clear()
  const staff = '*/api/v2/staff'
  server.use(
    ...asStaff(
      'guide.read',
      'guide.write',
      'ticket.read',
      'ticket.canned_answer.write',
      'shareaccount.read',
      'shareaccount.write',
      'money.refund.read',
    ),
    http.get(`${staff}/guides`, () =>
      success([guide(), guide({ id: 4, slug: 'first', title: 'Begin here', position: 1 })]),
    ),
    http.get(`${staff}/guides/3`, () => success(guide())),
    http.patch(`${staff}/guides/3`, taking(guide())),
    http.post(`${staff}/guides`, taking(guide())),
    http.delete(`${staff}/guides/3`, taking({})),
    http.get(`${staff}/canned-answers`, () => success({ canned_answers: [canned], variables: [] })),
    http.post(`${staff}/canned-answers`, taking(canned)),
    http.put(`${staff}/canned-answers/5`, taking(canned)),
    http.delete(`${staff}/canned-answers/5`, taking({})),
    http.get(`${staff}/share-accounts`, () => success([share])),
    http.post(`${staff}/share-accounts`, taking(share)),
    http.put(`${staff}/share-accounts/7`, taking(share)),
    http.post(`${staff}/share-accounts/7/rotate`, taking({ account: share, seen_by: [] })),
    http.get(`${staff}/share-accounts/7/viewers`, () =>
      success({
        viewers: [
          {
            user_id: 21,
            email: 'viewer@example.com',
            version: 1,
            saw_previous: true,
            count: 4,
            first_at: inDays(-8),
            last_at: inDays(-5),
          },
        ],
        total_count: 1,
      }),
    ),
    http.get(`${staff}/commissions`, () => success({ commissions: [commission], total_count: 1 })),
  )
})

type User = Awaited<ReturnType<typeof openSignedIn>>['user']

/** Chooses an action of a row, and gives its dialog. */
async function choose(user: User, row: string, action: string) {
  await user.click(await screen.findByRole('button', { name: `Actions for ${row}` }))
  await user.click(await screen.findByRole('menuitem', { name: action, hidden: true }))
  return within(await screen.findByRole('dialog', { name: action }))
}

describe('guides', () => {
  it('stand in their order, and are published after a question', async () => {
    const { user } = await openSignedIn('/admin/guides')
    const table = await screen.findByRole('table', { name: 'Guides' })
    const links = await within(table).findAllByRole('link')
    expect(links.map(({ textContent }) => textContent)).toEqual(['Begin here', 'How to use Stash'])
    const dialog = await choose(user, 'How to use Stash', 'Publish')
    await user.click(await dialog.findByRole('button', { name: 'Publish' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith({
        call: 'PATCH /guides/3',
        version: '"4"',
        body: { is_published: true },
      }),
    )
  })

  it('are previewed in both languages, with what the variables stand for, and only what changed is sent', async () => {
    const { router, user } = await openSignedIn('/admin/guides/3')
    const preview = within(await screen.findByRole('region', { name: 'As customers see it' }))
    expect(await preview.findByText(/^Import/)).toHaveTextContent(
      `Import ${location.origin}/… of Network Accelerator.`,
    )
    await user.click(preview.getByText('中文'))
    expect(await preview.findByText(/^导入/)).toBeVisible()
    await user.click(screen.getByRole('switch', { name: 'macOS' }))
    await user.clear(screen.getByRole('textbox', { name: /^Order/ }))
    await user.type(screen.getByRole('textbox', { name: /^Order/ }), '20')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/guides'))
    expect(sent).toHaveBeenCalledWith({
      call: 'PATCH /guides/3',
      version: '"4"',
      body: { systems: ['macos', 'ios'], position: 20 },
    })
  })

  it('need an address of the right form', async () => {
    const { router, user } = await openSignedIn('/admin/guides/new')
    const slug = await screen.findByRole('textbox', { name: /^Address/ })
    await user.type(slug, 'Not this')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('This has the wrong form.')).toBeVisible()
    await user.clear(slug)
    await user.type(slug, 'this-one')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/guides'))
    expect(sent.mock.calls[0]?.[0]).toMatchObject({
      call: 'POST /guides',
      body: { slug: 'this-one', systems: [], position: 100, is_published: false },
    })
  })

  it('have no form for who may not write', async () => {
    server.use(...asStaff('guide.read'))
    await openSignedIn('/admin/guides/3')
    expect(await screen.findByText(/^Import/)).toBeVisible()
    expect(screen.queryByRole('textbox')).toBeNull()
  })
})

describe('canned answers', () => {
  it('are made, changed with the version that was read, and removed', async () => {
    const { user } = await openSignedIn('/admin/canned-answers')
    await screen.findByText('Please import again.')
    let dialog = await choose(user, 'Import again', 'Change')
    await user.type(await dialog.findByRole('textbox', { name: 'Text in English' }), ' Thanks.')
    await user.click(dialog.getByRole('button', { name: 'Change' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith({
        call: 'PUT /canned-answers/5',
        version: '"6"',
        body: {
          name: 'Import again',
          content_zh: '请重新导入。',
          content_en: 'Please import again. Thanks.',
        },
      }),
    )
    await user.click(screen.getByRole('button', { name: 'New canned answer' }))
    dialog = within(await screen.findByRole('dialog', { name: 'New canned answer' }))
    expect(dialog.getByText(/\{\{ticket_no\}\}/)).toBeVisible()
    await user.type(await dialog.findByRole('textbox', { name: 'Name' }), 'Thanks')
    await user.click(dialog.getByRole('button', { name: 'New canned answer' }))
    await waitFor(() => expect(sent.mock.lastCall?.[0].call).toBe('POST /canned-answers'))
    dialog = await choose(user, 'Import again', 'Remove')
    await user.click(await dialog.findByRole('button', { name: 'Remove' }))
    await waitFor(() => expect(sent.mock.lastCall?.[0].call).toBe('DELETE /canned-answers/5'))
  })
})

describe('share accounts', () => {
  it('show who saw the secret, and get another one', async () => {
    const { user } = await openSignedIn('/admin/share-accounts/7')
    const table = await screen.findByRole('table', { name: 'Who saw the secret' })
    expect(await within(table).findByText('A former one')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Replace the secret' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Replace the secret' }))
    expect(dialog.getByText(/3 users have seen the present one/)).toBeVisible()
    await user.type(dialog.getByLabelText(/^Password/), 'fresh')
    await user.click(dialog.getByRole('button', { name: 'Replace the secret' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith({
        call: 'POST /share-accounts/7/rotate',
        version: null,
        body: { password: 'fresh' },
      }),
    )
  })

  it('are changed without their secret', async () => {
    const { router, user } = await openSignedIn('/admin/share-accounts/7')
    await user.click(await screen.findByRole('switch', { name: 'Offered to users' }))
    expect(screen.queryByLabelText(/^Password/)).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/share-accounts'))
    expect(sent.mock.calls[0]?.[0]).toMatchObject({
      call: 'PUT /share-accounts/7',
      version: '"8"',
      body: { name: 'Films', is_enabled: false, plan_ids: [2], max_users: 5, expires_at: null },
    })
  })

  it('are for plans that are chosen by name, and named in the list', async () => {
    const plan = (id: number, name: string) => ({ id, kind: 'plan', name, archived_at: null })
    server.use(
      ...asStaff('shareaccount.read', 'shareaccount.write', 'plan.read'),
      http.get('*/api/v2/staff/plans', () => success([plan(2, 'Gold'), plan(3, 'Silver')])),
    )
    const { router, user } = await openSignedIn('/admin/share-accounts/7')
    expect(await screen.findByRole('checkbox', { name: 'Gold (#2)' })).toBeChecked()
    await user.click(screen.getByRole('checkbox', { name: 'Silver (#3)' }))
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/share-accounts'))
    expect(sent.mock.calls[0]?.[0]).toMatchObject({ body: { plan_ids: [2, 3] } })
    const table = await screen.findByRole('table', { name: 'Share accounts' })
    expect(await within(table).findByText('Gold')).toBeVisible()
  })

  it('are made with a secret, of which the browser keeps no draft', async () => {
    const { router, user } = await openSignedIn('/admin/share-accounts/new')
    await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Music')
    await user.type(screen.getByLabelText(/^Password/), 'hunter2')
    expect(sessionStorage.getItem('console-draft:7:share-account:new')).toBe('{"name":"Music"}')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/share-accounts'))
    expect(sent.mock.calls[0]?.[0]).toMatchObject({
      call: 'POST /share-accounts',
      body: { name: 'Music', password: 'hunter2', max_users: null },
    })
  })

  it('that are gone say so, and lists that fail are asked for again', async () => {
    await openSignedIn('/admin/share-accounts/99')
    expect(await screen.findByText(/nothing with this number/)).toBeVisible()
    server.use(
      http.get('*/api/v2/staff/share-accounts', () =>
        failure(503, { message: 'Not now', code: 'not_now' }),
      ),
    )
    await openSignedIn('/admin/share-accounts')
    expect(await screen.findByText('Not now')).toBeVisible()
  })
})

describe('commissions', () => {
  it('lead to who earned them and say what of them was taken back', async () => {
    await openSignedIn('/admin/commissions?owed=true')
    const table = await screen.findByRole('table', { name: 'Commissions' })
    expect(await within(table).findByText('Free')).toBeVisible()
    expect(
      within(table)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    ).toEqual(expect.arrayContaining(['¥3.00', '¥1.20', '¥1.00']))
    expect(within(table).getByRole('link', { name: 'inviter@example.com' })).toHaveAttribute(
      'href',
      '/admin/users/11',
    )
    expect(screen.getByText(/Only what is still owed/)).toBeVisible()
  })
})
