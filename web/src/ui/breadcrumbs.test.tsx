import { screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { server, stillLoading } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

beforeEach(() => server.use(stillLoading))

describe('the way back up', () => {
  it.each([
    ['/user/account/security', 'My account', '/user/my-account', 'Security'],
    ['/user/wallet/recharge/new', 'Wallet', '/user/wallet', 'Top up'],
    ['/user/wallet/recharge/cd-key', 'Top-ups', '/user/wallet/recharge', 'Redeem a cd-key'],
    ['/user/services/buy', 'Services', '/user/services', 'Buy'],
  ])('stands above the title of %s', async (path, parent, href, title) => {
    await openSignedIn(path)
    const trail = within(await screen.findByRole('navigation', { name: 'Breadcrumbs' }))
    expect(trail.getByRole('link', { name: parent })).toHaveAttribute('href', href)
    const heading = screen.getByRole('heading', { level: 1 })
    expect(heading).toHaveTextContent(title)
    const here = trail.getAllByRole('listitem').at(-1)
    expect(here).toHaveAttribute('aria-current', 'page')
    expect(here).toHaveTextContent(heading.textContent ?? '')
  })

  it('leads there', async () => {
    const { router, user } = await openSignedIn('/user/account/security')
    await user.click(
      within(await screen.findByRole('navigation', { name: 'Breadcrumbs' })).getByRole('link'),
    )
    expect(router.state.location.pathname).toBe('/user/my-account')
  })

  it('is not on pages that lie below none', async () => {
    await openSignedIn('/user/my-account')
    expect(await screen.findByRole('heading', { level: 1 })).toBeVisible()
    expect(screen.queryByRole('navigation', { name: 'Breadcrumbs' })).toBeNull()
  })
})
