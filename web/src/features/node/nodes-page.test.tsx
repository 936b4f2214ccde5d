import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { describe, expect, it, vi } from 'vitest'
import type { Access, NodeInfo } from '@/api/gen/types.gen'
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
const has = (nodes: NodeInfo[]) =>
  server.use(
    http.get(path, () =>
      success({ total_nodes: nodes.length, user_tier: '', available_nodes: nodes }),
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
    await user.type(await screen.findByRole('searchbox', { name: 'Name or region' }), 'tok')
    await waitFor(() => expect(router.state.location.search).toEqual({ q: 'tok' }))
    expect(screen.queryByRole('row', { name: /Hong Kong/ })).not.toBeInTheDocument()
    expect(screen.getByText('1 node')).toBeVisible()
  })

  it('waits for an input method to end its word before it searches', async () => {
    has([node(), tokyo])
    const { router } = await openSignedIn('/user/nodes')
    const field = await screen.findByRole('searchbox', { name: 'Name or region' })
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
    const field = await screen.findByRole('searchbox', { name: 'Name or region' })
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
    expect(screen.getAllByRole('row')[2]).toHaveTextContent('Tokyo 01')
    await user.type(screen.getByRole('searchbox', { name: 'Name or region' }), '01')
    await waitFor(() => expect(screen.getAllByRole('row')[1]).toHaveTextContent('Tokyo 01'))
    expect(localStorage.getItem('favourite_nodes')).toBe('[2]')
    await user.click(screen.getByRole('checkbox', { name: 'Favourites' }))
    await waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(2))
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
    expect(await screen.findByText('2,000 nodes')).toBeVisible()
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
    expect(await screen.findByRole('row', { name: /Hong Kong/ })).toBeVisible()
  })
})
