import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Broadcast, StaffAnnouncement } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const announcement = (change: Partial<StaffAnnouncement> = {}): StaffAnnouncement => ({
  id: 4,
  ann_type: 'index_ann',
  title: 'New nodes',
  title_zh: '',
  title_en: '',
  body: 'Two in **Tokyo**.',
  body_zh: '',
  body_en: '',
  starts_at: inDays(-1),
  ends_at: inDays(3),
  is_pinned: false,
  audience: 'all',
  audience_ids: [],
  created_at: inDays(-1),
  updated_at: inDays(-1),
  readers: 12,
  version: '7',
  ...change,
})

const sending = (change: Partial<Broadcast> = {}): Broadcast => ({
  channel: 'mail',
  state: 'running',
  users: 60,
  passed: 30,
  queued: 21,
  started_at: inDays(-1),
  ended_at: null,
  ...change,
})

type Sent = { path: string; search: string; version: string | null; body: unknown }

const sent = vi.fn<(call: Sent) => void>()
let present: StaffAnnouncement

let broadcasts: Broadcast[]

const note = async (request: Request) => {
  const { pathname, search } = new URL(request.url)
  const version = request.headers.get('If-Match')
  const text = await request.text()
  sent({ path: pathname, search, version, body: text ? JSON.parse(text) : undefined })
  return version
}

const conflict = () =>
  failure(409, { message: 'Somebody else was faster', code: 'version_conflict' })

beforeEach(() => {
  sent.mockClear()
  sessionStorage.clear()
  present = announcement()
  broadcasts = []
  const one = '*/api/v2/staff/announcements/4'
  server.use(
    ...asStaff('announcement.read', 'announcement.write'),
    http.get('*/api/v2/staff/announcements', () =>
      success({ announcements: [present], total_count: 1 }),
    ),
    http.get(one, () => success(present)),
    http.get(`${one}/broadcasts`, () => success({ broadcasts })),
    http.get(`${one}/reach`, () => success({ mail: 42, telegram: 0 })),
    http.post(`${one}/broadcast`, async ({ request }) => {
      await note(request)
      broadcasts = [sending()]
      return success(sending())
    }),
    http.post(`${one}/broadcast/stop`, async ({ request }) => {
      await note(request)
      broadcasts = [sending({ state: 'stopped' })]
      return success(sending())
    }),
    http.post('*/api/v2/staff/announcements', async ({ request }) => {
      await note(request)
      return success(present)
    }),
    http.delete(one, async ({ request }) => {
      await note(request)
      return success({})
    }),
    // As the server does: only on top of what it has now.
    http.patch(one, async ({ request }) =>
      (await note(request)) === `"${present.version}"` ? success(present) : conflict(),
    ),
  )
})

const field = (name: string) => screen.findByRole('textbox', { name })
const save = () => screen.findByRole('button', { name: 'Save' })

async function rename(user: Awaited<ReturnType<typeof openSignedIn>>['user'], title: string) {
  await user.clear(await field('Title'))
  await user.type(await field('Title'), title)
}

describe('the list of announcements', () => {
  it('leads to each one, and removes after a question', async () => {
    const { router, user } = await openSignedIn('/admin/announcements')
    const table = await screen.findByRole('table', { name: 'Announcements' })
    expect(await within(table).findByText('Shown')).toBeVisible()
    await user.click(await screen.findByRole('button', { name: 'Actions for New nodes' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Remove', hidden: true }))
    const dialog = await screen.findByRole('dialog', { name: 'Remove' })
    await user.click(await within(dialog).findByRole('button', { name: 'Remove' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        expect.objectContaining({ path: '/api/v2/staff/announcements/4' }),
      ),
    )
    await user.click(await within(table).findByRole('link', { name: 'New nodes' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/announcements/4'))
  })

  it('names each in the language of the member, else in another', async () => {
    present = announcement({ title: '', title_zh: '新节点', title_en: 'More nodes' })
    const { router } = await openSignedIn('/admin/announcements')
    expect(await screen.findByRole('link', { name: 'More nodes' })).toBeVisible()
    await router.navigate({ href: '/admin/announcements/4' })
    expect(await screen.findByRole('heading', { name: 'More nodes', level: 1 })).toBeVisible()
  })

  it('shows who may not write the text and no form', async () => {
    server.use(...asStaff('announcement.read'))
    const { router } = await openSignedIn('/admin/announcements')
    await screen.findByRole('table', { name: 'Announcements' })
    expect(screen.queryByRole('link', { name: 'New announcement' })).toBeNull()
    await router.navigate({ href: '/admin/announcements/4' })
    expect(await screen.findByText('Tokyo')).toBeVisible()
    expect(screen.queryByRole('textbox')).toBeNull()
  })
})

describe('the form of an announcement', () => {
  it('makes a new one, for the audience that is chosen', async () => {
    const { router, user } = await openSignedIn('/admin/announcements/new')
    await user.type(await field('Title'), 'Maintenance')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Audience' }), 'plan')
    await user.click(screen.getByRole('button', { name: 'Publish' }))
    expect(await screen.findByText('This is needed.')).toBeVisible()
    expect(sent).not.toHaveBeenCalled()
    await user.type(await field('Numbers of the plans, classes or groups'), '2{enter}3')
    await user.click(screen.getByRole('button', { name: 'Publish' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/announcements'))
    expect(sent.mock.calls[0]?.[0].body).toMatchObject({
      title: 'Maintenance',
      audience: 'plan',
      audience_ids: [2, 3],
    })
  })

  it('sends only what changed, with the version that was read', async () => {
    const { router, user } = await openSignedIn('/admin/announcements/4')
    await rename(user, 'More nodes')
    const changes = screen.getByRole('region', { name: 'Changes to save' })
    expect(changes).toHaveTextContent('New nodes More nodes')
    await user.clear(screen.getByLabelText(/^Shown until/))
    await user.click(await save())
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/announcements'))
    expect(sent).toHaveBeenCalledWith({
      path: '/api/v2/staff/announcements/4',
      search: '?again=false',
      version: '"7"',
      body: { title: 'More nodes', no_end: true },
    })
  })

  it('shows both versions where another member changed the same, and saves on top of theirs', async () => {
    const { router, user } = await openSignedIn('/admin/announcements/4')
    await rename(user, 'Mine')
    present = announcement({ title: 'Theirs', is_pinned: true, version: '8' })
    await user.click(await save())
    const notice = await screen.findByRole('alert')
    const row = within(notice).getByRole('row', { name: /^Title/ })
    expect(
      within(row)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    ).toEqual(['Mine', 'Theirs'])
    await user.click(within(notice).getByRole('button', { name: 'Keep mine' }))
    // What only the other member changed is taken over, and is no change any more.
    expect(screen.getByRole('switch', { name: /^Pinned/ })).toBeChecked()
    const changes = screen.getByRole('region', { name: 'Changes to save' })
    expect(changes).toHaveTextContent('Theirs Mine')
    expect(changes).not.toHaveTextContent('Pinned')
    await user.click(await save())
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/announcements'))
    expect(sent).toHaveBeenLastCalledWith(
      expect.objectContaining({ version: '"8"', body: { title: 'Mine' } }),
    )
  })

  it('keeps both changes with one press where they do not overlap', async () => {
    const { user } = await openSignedIn('/admin/announcements/4')
    await rename(user, 'Mine')
    present = announcement({ body: 'Three in Osaka.', version: '8' })
    await user.click(await save())
    await user.click(await screen.findByRole('button', { name: 'Keep both changes' }))
    expect(await field('Text (Markdown)')).toHaveValue('Three in Osaka.')
    expect(await field('Title')).toHaveValue('Mine')
  })

  it('shows a second conflict against what the first one brought', async () => {
    const { user } = await openSignedIn('/admin/announcements/4')
    await rename(user, 'Mine')
    present = announcement({ body: 'Three in Osaka.', version: '8' })
    await user.click(await save())
    await user.click(await screen.findByRole('button', { name: 'Keep both changes' }))
    present = announcement({ body: 'Three in Osaka.', title: 'Theirs', version: '9' })
    await user.click(await save())
    const notice = await screen.findByRole('alert')
    expect(within(notice).getAllByRole('row')).toHaveLength(2)
    await user.click(within(notice).getByRole('button', { name: 'Keep theirs' }))
    expect(await field('Title')).toHaveValue('Theirs')
    expect(await save()).toBeDisabled()
    expect(screen.getByRole('region', { name: 'Changes to save' })).toHaveFocus()
  })

  it('says what else the server refuses, and what comes of a conflict that cannot be read', async () => {
    server.use(
      http.patch('*/api/v2/staff/announcements/4', () =>
        failure(409, { message: 'A broadcast is under way', code: 'broadcast_running' }),
      ),
    )
    const { user } = await openSignedIn('/admin/announcements/4')
    await rename(user, 'Mine')
    await user.click(await save())
    expect(await screen.findByText('A broadcast is under way')).toBeVisible()
    expect(screen.queryByText('This was changed meanwhile')).toBeNull()
    server.use(
      http.patch('*/api/v2/staff/announcements/4', conflict),
      http.get('*/api/v2/staff/announcements/4', () =>
        failure(404, { message: 'It is gone', code: 'not_found' }),
      ),
    )
    await user.click(await save())
    expect(await screen.findByText('It is gone')).toBeVisible()
  })
})

describe('the sending of an announcement', () => {
  it('names how many get it, asks for a reason, shows how far it is, and stops', async () => {
    const { user } = await openSignedIn('/admin/announcements/4')
    const card = within(await screen.findByRole('region', { name: 'Send it' }))
    expect(await card.findByText('42 users would get it')).toBeVisible()
    expect(card.queryByRole('button', { name: 'Send by Telegram' })).toBeNull()
    await user.click(card.getByRole('button', { name: 'Send by mail' }))
    let dialog = within(await screen.findByRole('dialog', { name: 'Send by mail' }))
    expect(dialog.getByText(/is sent to 42 users/)).toBeVisible()
    await user.click(dialog.getByRole('button', { name: 'Send by mail' }))
    expect(await dialog.findByText('This is needed.')).toBeVisible()
    await user.type(dialog.getByRole('textbox', { name: /^Reason/ }), 'News')
    await user.click(dialog.getByRole('button', { name: 'Send by mail' }))
    expect(await card.findByText('30 of 60 looked at, 21 sent')).toBeVisible()
    expect(sent.mock.lastCall?.[0]).toMatchObject({
      path: '/api/v2/staff/announcements/4/broadcast',
      body: { channel: 'mail', reason: 'News' },
    })
    await user.click(card.getByRole('button', { name: 'Stop' }))
    dialog = within(await screen.findByRole('dialog', { name: 'Stop' }))
    await user.click(dialog.getByRole('button', { name: 'Stop' }))
    expect(await card.findByText('Stopped')).toBeVisible()
  })
})
