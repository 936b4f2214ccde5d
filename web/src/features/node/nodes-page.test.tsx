import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { describe, expect, it, vi } from 'vitest'
import type { Access, NodeInfo } from '@/lib/api/gen/types.gen'
import { dashboard, node } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const path = '*/api/v2/user/services/nodes'
const tokyo = node({
  node_id: 2,
  node_name: 'Tokyo 01',
  country_code: 'JP',
  status: 'offline',
  rate: '1.50',
})
const is = (state: Access['state']) =>
  server.use(http.get('*/api/v2/user/dashboard', () => success(dashboard({ state }))))
const isPhone = () =>
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (media) =>
      Object.assign(new EventTarget(), {
        matches: media.includes('max-width'),
        media,
        onchange: null,
      }) as MediaQueryList,
  )
const has = (nodes: NodeInfo[], locked: NodeInfo[] = []) =>
  server.use(
    http.get(path, () =>
      success({
        total_nodes: nodes.length + locked.length,
        user_tier: '',
        available_nodes: nodes,
        locked_nodes: locked,
      }),
    ),
  )

describe('the list of nodes', () => {
  it('says of each what it is and how it is', async () => {
    has([node(), tokyo])
    await openSignedIn('/user/nodes')
    const row = await screen.findByRole('row', { name: /Tokyo 01/ })
    expect(row).toHaveTextContent('Japan')
    expect(row).toHaveTextContent('Offline')
    expect(row).toHaveTextContent('×1.5')
    expect(screen.getByRole('row', { name: /Hong Kong 01/ })).toHaveTextContent('37%')
    expect(screen.getByRole('row', { name: /Hong Kong 01/ })).toHaveTextContent('VLESSREALITY')
  })

  it('never calls a node that is full online', async () => {
    has([node({ load: 100 }), node({ node_id: 2, node_name: 'Tokyo 01', load: 75 })])
    await openSignedIn('/user/nodes')
    const full = await screen.findByRole('row', { name: /Hong Kong 01/ })
    expect(full).toHaveTextContent('100%')
    expect(within(full).getByText('Full').closest('[data-tone]')).toHaveAttribute(
      'data-tone',
      'error',
    )
    expect(full).not.toHaveTextContent('Online')
    expect(screen.getByRole('row', { name: /Tokyo 01/ })).toHaveTextContent('Busy')
  })

  it('shows the tags of a node, and finds it by them', async () => {
    has([node({ tags: ['Netflix', 'IPLC'] }), tokyo])
    await openSignedIn('/user/nodes?q=netflix')
    const row = await screen.findByRole('row', { name: /Hong Kong 01/ })
    expect(row).toHaveTextContent('Netflix · IPLC')
    expect(screen.queryByRole('row', { name: /Tokyo/ })).not.toBeInTheDocument()
  })

  it('is searched in the address', async () => {
    has([node(), tokyo])
    const { router, user } = await openSignedIn('/user/nodes')
    await user.type(await screen.findByRole('searchbox', { name: 'Search nodes' }), 'tok')
    await waitFor(() => expect(router.state.location.search).toEqual({ q: 'tok' }))
    expect(screen.queryByRole('row', { name: /Hong Kong/ })).not.toBeInTheDocument()
    expect(within(screen.getByRole('search')).getByText('1 node')).toBeVisible()
  })

  it('waits for an input method to end its word before it searches', async () => {
    has([node(), tokyo])
    const { router } = await openSignedIn('/user/nodes')
    const field = await screen.findByRole('searchbox', { name: 'Search nodes' })
    act(() => field.focus())
    for (const value of ['t', 'to', 'tok']) {
      fireEvent.input(field, { target: { value }, isComposing: true })
      expect(field).toHaveValue(value)
    }
    expect(router.state.location.search).toEqual({})
    fireEvent.compositionEnd(field)
    await waitFor(() => expect(router.state.location.search).toEqual({ q: 'tok' }))
    expect(field).toHaveValue('tok')
  })

  it('shows each key at once, and the cleared search too', async () => {
    has([node(), tokyo])
    const { router, user } = await openSignedIn('/user/nodes')
    const field = await screen.findByRole('searchbox', { name: 'Search nodes' })
    act(() => field.focus())
    for (const value of ['t', 'to', 'tok']) fireEvent.input(field, { target: { value } })
    expect(field).toHaveValue('tok')
    await user.click(await screen.findByRole('link', { name: 'Clear filters' }))
    await waitFor(() => expect(router.state.location.search).toEqual({}))
    expect(field).toHaveValue('')
    expect(await screen.findByText('2 nodes')).toBeVisible()
  })

  it('is filtered by the address, and the filters can be cleared', async () => {
    has([node(), tokyo])
    const { user } = await openSignedIn('/user/nodes?online=true&country=JP')
    expect(await screen.findByText('No node fits these filters.')).toBeVisible()
    await user.click(screen.getByRole('link', { name: 'Clear filters' }))
    expect(await screen.findByRole('row', { name: /Tokyo/ })).toBeVisible()
  })

  it('shows the rates of the hours beside the present one', async () => {
    const hours = Array.from({ length: 24 }, (_, hour) => (hour < 18 ? '0.50' : '2.00'))
    has([node({ rate: '2.00', hour_rates: hours })])
    await openSignedIn('/user/nodes')
    const row = await screen.findByRole('row', { name: /Hong Kong 01/ })
    expect(row).toHaveTextContent('×2')
    expect(within(row).getByText('0–18 h ×0.5')).toBeVisible()
    expect(within(row).getByText('18–24 h ×2')).toBeVisible()
  })

  it('is sorted as the address says, favourites first all the same', async () => {
    const nodes = [
      node({ node_id: 1, node_name: 'C 10', load: 5, rate: '3.00' }),
      node({ node_id: 2, node_name: 'C 9', load: 90, rate: '1.00' }),
      node({ node_id: 3, node_name: 'A', load: 50, rate: '2.00', status: 'offline' }),
    ]
    has(nodes)
    const names = () =>
      screen
        .getAllByRole('row')
        .slice(1)
        .map((row) => /C 10|C 9|A/.exec(row.textContent ?? '')?.[0])
    localStorage.setItem('favourite_nodes', '[3]')
    await openSignedIn('/user/nodes?sort=load')
    expect(await screen.findByText('3 nodes')).toBeVisible()
    expect(names()).toEqual(['A', 'C 10', 'C 9'])
  })

  it('is sorted by the heads of its columns', async () => {
    has([node({ node_id: 1, node_name: 'A', load: 50 }), node({ node_id: 2, load: 5 })])
    const { router, user } = await openSignedIn('/user/nodes')
    const head = () => screen.getByRole('columnheader', { name: 'Load' })
    await user.click(await screen.findByRole('button', { name: 'Load' }))
    await waitFor(() => expect(head()).toHaveAttribute('aria-sort', 'ascending'))
    expect(router.state.location.search).toEqual({ sort: 'load' })
    expect(screen.getAllByRole('row')[1]).toHaveTextContent('5%')
    await user.click(screen.getByRole('button', { name: 'Load' }))
    await waitFor(() => expect(router.state.location.search).toEqual({}))
    expect(head()).not.toHaveAttribute('aria-sort')
  })

  it('has its filters on a sheet on a phone', async () => {
    isPhone()
    has([node(), tokyo])
    const { router, user } = await openSignedIn('/user/nodes?sort=name')
    const button = await screen.findByRole('button', { name: /^Filters/ })
    expect(button).toHaveAccessibleName('Filters 1 active')
    expect(screen.queryByRole('combobox')).not.toBeInTheDocument()
    await user.click(button)
    const sheet = within(await screen.findByRole('dialog', { name: 'Filter and sort' }))
    await user.selectOptions(sheet.getByRole('combobox', { name: 'Region' }), 'Japan')
    await user.click(await sheet.findByRole('switch', { name: 'Online only' }))
    expect(await sheet.findByRole('button', { name: 'Show 0 nodes' })).toBeVisible()
    expect(router.state.location.search).toEqual({ country: 'JP', online: true, sort: 'name' })
    await user.click(sheet.getByRole('switch', { name: 'Online only' }))
    await user.click(await sheet.findByRole('button', { name: 'Show 1 node' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    await waitFor(() => expect(button).toHaveFocus())
    expect(button).toHaveAccessibleName('Filters 2 active')
    expect(screen.queryByRole('row', { name: /Hong Kong/ })).not.toBeInTheDocument()
    await user.click(button)
    await user.click(await screen.findByRole('button', { name: 'Clear filters' }))
    await waitFor(() => expect(router.state.location.search).toEqual({}))
  })

  it('keeps favourites in this browser, and moves them to the top once the view changes', async () => {
    has([node(), tokyo])
    const { user } = await openSignedIn('/user/nodes')
    await user.click(await screen.findByRole('button', { name: 'Favourite Tokyo 01' }))
    expect(screen.getByRole('button', { name: 'Favourite Tokyo 01' })).toBePressed()
    expect(screen.getByRole('button', { name: 'Favourite Tokyo 01' })).toHaveFocus()
    expect(screen.getAllByRole('row')[4]).toHaveTextContent('Tokyo 01')
    await user.type(screen.getByRole('searchbox', { name: 'Search nodes' }), '01')
    await waitFor(() => expect(screen.getAllByRole('row')[2]).toHaveTextContent('Tokyo 01'))
    expect(screen.getAllByRole('row')[1]).toHaveTextContent('Favourites')
    expect(localStorage.getItem('favourite_nodes')).toBe('[2]')
    await user.click(screen.getByRole('checkbox', { name: 'Favourites' }))
    await waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(3))
  })

  it('keeps the favourites that another tab adds', async () => {
    has([node(), tokyo])
    const { user } = await openSignedIn('/user/nodes')
    const star = await screen.findByRole('button', { name: 'Favourite Tokyo 01' })
    localStorage.setItem('favourite_nodes', '[1]')
    await user.click(star)
    expect(localStorage.getItem('favourite_nodes')).toBe('[1,2]')
    localStorage.setItem('favourite_nodes', '[]')
    act(() => {
      window.dispatchEvent(new StorageEvent('storage', { key: 'favourite_nodes' }))
    })
    expect(screen.getByRole('button', { name: 'Favourite Tokyo 01' })).not.toBePressed()
  })

  it('has few rows in the page, however many nodes there are', async () => {
    has(Array.from({ length: 2000 }, (_, id) => node({ node_id: id, node_name: `Node ${id}` })))
    await openSignedIn('/user/nodes')
    const search = within(await screen.findByRole('search'))
    expect(search.getByText('2,000 nodes')).toBeVisible()
    expect(screen.getAllByRole('row').length).toBeLessThan(60)
  })

  it('leads somebody without a plan to one', async () => {
    has([])
    is('none')
    await openSignedIn('/user/nodes')
    expect(await screen.findByText(/No nodes yet/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Choose a plan' })).toBeVisible()
  })

  it.each([
    ['exhausted', /traffic is used up/, 'Buy a package'],
    ['expired', /plan has ended/, 'Renew'],
    ['banned', /account is suspended/, 'See why'],
    ['active', /no nodes for your plan/, undefined],
  ] as const)('says why it is empty to somebody %s', async (state, why, help) => {
    has([])
    is(state)
    await openSignedIn('/user/nodes')
    expect(await screen.findByText(why)).toBeVisible()
    const links = within(screen.getByRole('main')).queryAllByRole('link')
    expect(links.map((link) => link.textContent)).toEqual(help === undefined ? [] : [help])
  })

  it('says what could not be loaded, and tries again', async () => {
    has([node()])
    server.use(
      http.get(path, () => failure(409, { message: 'Not now', code: 'busy' }), { once: true }),
    )
    const { user } = await openSignedIn('/user/nodes')
    expect(await screen.findByText('Not now')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('row', { name: /Hong Kong 01/ })).toBeVisible()
  })
})

describe('the regions', () => {
  const hongKong = /^Hong Kong.* 2 nodes$/
  const button = (name: string | RegExp) => screen.findByRole('button', { name })

  it('head their nodes with how many there are, and close for good in this browser', async () => {
    has([node(), tokyo, node({ node_id: 3, node_name: 'Hong Kong 02' })])
    const { user, router } = await openSignedIn('/user/nodes')
    expect(await button(hongKong)).toHaveAttribute('aria-expanded', 'true')
    expect(await button('Japan 1 node')).toBeVisible()
    await user.click(await button(hongKong))
    expect(await button(hongKong)).toHaveAttribute('aria-expanded', 'false')
    expect(screen.queryByRole('row', { name: /Hong Kong 01/ })).not.toBeInTheDocument()
    expect(screen.getByRole('row', { name: /Tokyo 01/ })).toBeVisible()
    await router.navigate({ to: '/settings' })
    await router.navigate({ to: '/user/nodes', search: {} })
    expect(await button(hongKong)).toHaveAttribute('aria-expanded', 'false')
  })

  it('hide nothing that is searched for', async () => {
    localStorage.setItem('closed_regions', '["HK"]')
    has([node(), tokyo])
    await openSignedIn('/user/nodes?q=kong')
    expect(await screen.findByRole('row', { name: /Hong Kong 01/ })).toBeVisible()
  })

  it('make way for an order over all of them', async () => {
    has([node({ load: 50 }), tokyo])
    await openSignedIn('/user/nodes?sort=load')
    expect(await screen.findByRole('row', { name: /Tokyo 01/ })).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Japan 1 node' })).not.toBeInTheDocument()
  })
})

describe('one node', () => {
  const entry = (name: string, text: string) => ({
    name,
    address: 'hk1.example.com',
    port: 443,
    configs: [
      { format: 'link', text },
      { format: 'clash_meta', text: `proxies: ${text}` },
    ],
  })
  const links = http.get(`${path}/:id/links`, () =>
    success({
      entries: [entry('Hong Kong 01', 'vless://direct'), entry('Relay', 'vless://relay')],
    }),
  )
  const drawer = async () => within(await screen.findByRole('dialog', { name: /Hong Kong 01/ }))
  const isGone = () => waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())

  it('opens from its name, and Esc leads back to it', async () => {
    has([node({ load: 100, hour_rates: [...Array<string>(24).fill('1.00')] }), tokyo])
    server.use(links)
    is('active')
    const { user, router } = await openSignedIn('/user/nodes?country=HK')
    await user.click(await screen.findByRole('link', { name: 'Hong Kong 01' }))
    await waitFor(() => expect(router.state.location.search).toEqual({ country: 'HK', node: 1 }))
    const sheet = await drawer()
    expect(sheet.getByText('Full')).toBeVisible()
    expect(sheet.getByText(/VLESS/)).toBeVisible()
    expect(await sheet.findByText('Class 1 or higher. Your plan has Class 1.')).toBeVisible()
    expect(await sheet.findByRole('img', { name: /QR code/ })).toBeVisible()
    await user.keyboard('{Escape}')
    await isGone()
    expect(router.state.location.search).toEqual({ country: 'HK' })
    await waitFor(() => expect(screen.getByRole('link', { name: 'Hong Kong 01' })).toHaveFocus())
  })

  it('closes with a step back, and opens with one forward', async () => {
    has([node(), tokyo])
    server.use(links)
    is('active')
    const { user, router } = await openSignedIn('/user/nodes')
    await user.click(await screen.findByRole('link', { name: 'Hong Kong 01' }))
    await drawer()
    act(() => router.history.back())
    await isGone()
    act(() => router.history.forward())
    expect(await screen.findByRole('dialog', { name: /Hong Kong 01/ })).toBeInTheDocument()
  })

  it('is copied in the format and by the way that one chooses', async () => {
    has([node()])
    server.use(links)
    is('active')
    const { user } = await openSignedIn('/user/nodes?node=1')
    const sheet = await drawer()
    await user.click(await sheet.findByRole('button', { name: 'Copy Hong Kong 01' }))
    expect(await navigator.clipboard.readText()).toBe('vless://direct')
    await user.selectOptions(sheet.getByRole('combobox', { name: 'Way in' }), 'Relay')
    await user.click(sheet.getByRole('button', { name: 'Copy Relay' }))
    expect(await navigator.clipboard.readText()).toBe('vless://relay')
    await user.selectOptions(sheet.getByRole('combobox', { name: 'Format' }), 'Clash Meta')
    expect(sheet.queryByRole('img', { name: /QR code/ })).not.toBeInTheDocument()
    await user.click(sheet.getByRole('button', { name: 'Copy Relay' }))
    expect(await navigator.clipboard.readText()).toBe('proxies: vless://relay')
  })

  it('opens from its address, and closes to the list', async () => {
    has([node()])
    server.use(links)
    is('active')
    const { user, router } = await openSignedIn('/user/nodes?node=1')
    await drawer()
    await user.click(screen.getByRole('button', { name: 'Close' }))
    await isGone()
    expect(router.state.location.pathname).toBe('/user/nodes')
    expect(router.state.location.search).toEqual({})
    await waitFor(() => expect(screen.getByRole('link', { name: 'Hong Kong 01' })).toHaveFocus())
  })

  it('of a higher class is in the list, and says what it takes to use it', async () => {
    has([tokyo], [node({ class: 2, server_address: '' })])
    is('active')
    const { user } = await openSignedIn('/user/nodes')
    const row = await screen.findByRole('row', { name: /Hong Kong 01/ })
    expect(row).toHaveTextContent('From Class 2')
    await user.click(screen.getByRole('link', { name: 'Hong Kong 01' }))
    const sheet = await drawer()
    expect(
      await sheet.findByText('This node is for plans of Class 2 or higher. Yours has Class 1.'),
    ).toBeVisible()
    expect(sheet.getByRole('link', { name: 'See plans' })).toHaveAttribute(
      'href',
      '/user/services/buy',
    )
    expect(sheet.queryByRole('button', { name: /^Copy/ })).not.toBeInTheDocument()
  })

  it('says which class it takes by the name that the operator gave it', async () => {
    has([tokyo], [node({ class: 2, class_name: 'Plus', server_address: '' })])
    is('active')
    await openSignedIn('/user/nodes')
    expect(await screen.findByRole('row', { name: /Hong Kong 01/ })).toHaveTextContent('From Plus')
  })

  it('says that the plan has ended where that is why', async () => {
    has([], [node()])
    is('expired')
    await openSignedIn('/user/nodes?node=1')
    const sheet = await drawer()
    expect(await sheet.findByText(/plan has ended/)).toBeVisible()
    expect(sheet.getByRole('link', { name: 'Renew' })).toBeVisible()
    expect(screen.getByRole('row', { name: /Hong Kong 01/, hidden: true })).toBeInTheDocument()
  })

  it('that is gone is said to be', async () => {
    has([node()])
    await openSignedIn('/user/nodes?node=77')
    const sheet = within(await screen.findByRole('dialog', { name: 'No such node' }))
    expect(sheet.getByText(/is not there any more/)).toBeVisible()
  })
})
