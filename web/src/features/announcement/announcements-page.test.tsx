import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { failure, server, site, stillLoading, success } from '@/test/msw/server'
import { openApp, openSignedIn } from '@/test/render'

type Item = {
  id: number
  ann_type: string
  title: string
  markdown_text: string
  is_read: boolean
}

const item = (change: Partial<Item> = {}) => ({
  id: 1,
  ann_type: 'index_ann',
  title: 'New nodes',
  markdown_text: 'In **Singapore**',
  created_at: '2026-11-20T08:00:00Z',
  updated_at: '2026-11-20T08:00:00Z',
  ends_at: null,
  is_pinned: false,
  is_read: false,
  ...change,
})

const list = (...announcements: Item[]) =>
  http.get('*/api/v2/user/announcements', () =>
    success({ announcements, total_count: announcements.length, unread_count: 1 }),
  )

const unread = (change: { unread_count?: number; pop_ups?: Item[]; maintenance?: Item[] }) =>
  http.get('*/api/v2/user/announcements/unread', () =>
    success({ unread_count: 0, pop_ups: [], maintenance: [], ...change }),
  )

/** What the page marks as read, call by call. */
function markedIDs() {
  const calls: number[][] = []
  server.use(
    http.post('*/api/v2/user/announcements/read', async ({ request }) => {
      calls.push(((await request.json()) as { ids: number[] }).ids)
      return success({ unread_count: 0, pop_ups: [], maintenance: [] })
    }),
  )
  return calls
}

const page = '/user/announcements/announcements'

beforeEach(() => server.use(stillLoading))

describe('the announcements', () => {
  it('are shown with their text, and count as read then', async () => {
    const marked = markedIDs()
    server.use(
      unread({ unread_count: 1 }),
      list(item(), item({ id: 2, title: 'Older', is_read: true, markdown_text: '' })),
    )
    await openSignedIn(page)
    const article = await screen.findByRole('article', { name: 'New nodes' })
    expect(await within(article).findByText('Singapore')).toHaveProperty('tagName', 'STRONG')
    expect(within(article).getByText('New')).toBeVisible()
    expect(within(screen.getByRole('article', { name: 'Older' })).queryByText('New')).toBeNull()
    await waitFor(() => expect(marked).toEqual([[1]]))
    await waitFor(() =>
      expect(screen.getAllByRole('link', { name: 'Announcements', hidden: true })[0]).toBeTruthy(),
    )
  })

  it('may be none', async () => {
    server.use(list())
    await openSignedIn(page)
    expect(await screen.findByText('There are no announcements at present.')).toBeVisible()
  })

  it('that fail are asked for again', async () => {
    server.use(
      http.get('*/api/v2/user/announcements', () =>
        failure(503, { message: 'Not now', code: 'not_now' }),
      ),
    )
    const { user } = await openSignedIn(page)
    expect(await screen.findByText('Not now')).toBeVisible()
    server.use(list(item({ is_read: true })))
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('article', { name: 'New nodes' })).toBeVisible()
  })
})

describe('the bell', () => {
  it('says how many are new, and leads to them', async () => {
    server.use(unread({ unread_count: 3 }))
    await openSignedIn('/user/my-account')
    const [bell] = await screen.findAllByRole('link', {
      name: 'Announcements, 3 unread',
      hidden: true,
    })
    expect(bell).toHaveAttribute('href', page)
    expect(bell).toHaveTextContent('3')
  })
})

describe('pop-ups', () => {
  it('come one after the other, each until it is closed', async () => {
    const marked = markedIDs()
    server.use(
      unread({
        unread_count: 2,
        pop_ups: [item({ ann_type: 'pop_up_ann' }), item({ id: 2, title: 'Second' })],
      }),
    )
    const { user } = await openSignedIn('/user/my-account')
    const first = await screen.findByRole('dialog', { name: 'New nodes' })
    expect(await within(first).findByText('Singapore')).toBeVisible()
    expect(within(first).getByText('1 more')).toBeVisible()
    server.use(unread({ unread_count: 1, pop_ups: [item({ id: 2, title: 'Second' })] }))
    await user.click(within(first).getByRole('button', { name: 'Got it' }))
    await waitFor(() => expect(marked).toEqual([[1]]))
  })

  it('count as seen when Escape closes them', async () => {
    const marked = markedIDs()
    server.use(unread({ unread_count: 1, pop_ups: [item()] }))
    const { user } = await openSignedIn('/user/my-account')
    await screen.findByRole('dialog', { name: 'New nodes' })
    await user.keyboard('{Escape}')
    await waitFor(() => expect(marked).toEqual([[1]]))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('wait until the dialog that was opened meanwhile is closed', async () => {
    let answer: () => void = () => undefined
    const asked = new Promise<void>((done) => (answer = done))
    server.use(
      http.get('*/api/v2/user/announcements/unread', async () => {
        await asked
        return success({ unread_count: 1, pop_ups: [item()], maintenance: [] })
      }),
    )
    const { user } = await openSignedIn('/user/my-account')
    await screen.findByRole('heading', { level: 1 })
    await user.keyboard('?')
    const opened = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })
    answer()
    await screen.findAllByRole('link', { name: 'Announcements, 1 unread', hidden: true })
    await new Promise((later) => setTimeout(later, 1500))
    expect(screen.getAllByRole('dialog', { hidden: true })).toEqual([opened])
    await user.keyboard('{Escape}')
    expect(await screen.findByRole('dialog', { name: 'New nodes' })).toBeVisible()
    expect(screen.getAllByRole('dialog', { hidden: true })).toHaveLength(1)
  })

  it('come on no page on which people pay', async () => {
    server.use(unread({ unread_count: 1, pop_ups: [item()] }))
    await openSignedIn('/user/wallet/recharge/new')
    await screen.findAllByRole('link', { name: 'Announcements, 1 unread', hidden: true })
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})

describe('notes on maintenance', () => {
  const maintenance = [
    {
      id: 1,
      title_zh: '',
      title_en: 'Tonight',
      body_zh: '',
      body_en: 'From **2** to 3',
      ends_at: null,
    },
    { id: 2, title_zh: '', title_en: 'Tomorrow', body_zh: '', body_en: '', ends_at: null },
  ]
  const ofSite = http.get('*/api/v2/site', () => success({ ...site, maintenance }))

  it.each(['/auth/sign-in', '/about'])('stand above %s for guests', async (path) => {
    server.use(ofSite)
    const { user } = await openApp(path)
    const strip = within(await screen.findByRole('region', { name: 'Maintenance' }))
    expect(strip.getByText('Tomorrow')).toBeVisible()
    await user.click(strip.getByText('Tonight'))
    expect(await strip.findByText('2')).toBeVisible()
  })

  it('stand above the pages of users, with those for them alone', async () => {
    server.use(ofSite, unread({ maintenance: [item({ title: 'Your plan', markdown_text: '' })] }))
    await openSignedIn('/user/my-account')
    const strip = within(await screen.findByRole('region', { name: 'Maintenance' }))
    expect(await strip.findByText('Your plan')).toBeVisible()
  })
})
