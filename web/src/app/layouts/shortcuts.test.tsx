import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { server, stillLoading } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

beforeEach(() => server.use(stillLoading))

describe('shortcuts', () => {
  it.each([
    ['gn', '/user/nodes'],
    ['gd', '/user/dashboard'],
    ['gs', '/user/services'],
    ['gb', '/user/services/buy'],
    ['gw', '/user/wallet'],
    ['ga', '/user/my-account'],
  ])('%s leads to %s', async (keys, path) => {
    const { router, user } = await openSignedIn('/settings')
    await screen.findByRole('heading', { name: 'Preferences' })
    await user.keyboard(keys)
    await waitFor(() => expect(router.state.location.pathname).toBe(path))
  })

  it('are off while one types, with modifiers and in the middle of a word', async () => {
    const { router, user } = await openSignedIn('/user/nodes')
    await screen.findByRole('heading', { name: 'Nodes' })
    const field = document.body.appendChild(document.createElement('input'))
    field.focus()
    await user.keyboard('gd?')
    field.remove()
    await user.keyboard('{Control>}g{/Control}d')
    await user.keyboard('xd')
    fireEvent.keyDown(document.body, { key: 'g', isComposing: true })
    await user.keyboard('d')
    expect(router.state.location.pathname).toBe('/user/nodes')
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  })

  it('are listed at ?, and g n works only once the list is closed', async () => {
    const { router, user } = await openSignedIn('/settings')
    await screen.findByRole('heading', { name: 'Preferences' })
    await user.keyboard('?')
    const list = within(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' }))
    expect(list.getByText('Nodes').closest('li')).toHaveTextContent('g n')
    await user.keyboard('gn')
    expect(router.state.location.pathname).toBe('/settings')
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    await user.keyboard('gn')
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/nodes'))
  })

  it('are listed from the palette, which names them beside their pages', async () => {
    const { user } = await openSignedIn('/settings')
    await screen.findByRole('heading', { name: 'Preferences' })
    await user.keyboard('{Control>}k{/Control}')
    expect(await screen.findByRole('button', { name: /^Nodes/ })).toHaveTextContent('g n')
    await user.click(await screen.findByRole('button', { name: /^Keyboard shortcuts/ }))
    expect(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  })
})
