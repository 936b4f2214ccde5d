import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { server, stillLoading } from '@/test/msw/server'
import { openApp, openSignedIn } from '@/test/render'

beforeEach(() => server.use(stillLoading))

// First in this file: a tree once loaded stays.
it('an open page starts without the routes of the others and leads to them all the same', async () => {
  const { router } = await openApp('/auth/sign-in')
  await screen.findByLabelText('Email')
  expect(router.routesByPath).not.toHaveProperty('/about')

  const depth = router.history.length
  await router.navigate({ href: '/about?from=here#terms', state: { from: 'here' } as object })
  expect(await screen.findByRole('heading', { level: 1 })).toBeVisible()
  expect(router.state.matches.at(-1)?.routeId).toBe('/about')
  expect(router.state.location).toMatchObject({
    href: '/about?from=here#terms',
    state: { from: 'here' },
  })
  expect(router.history.length).toBe(depth + 1)
})

it.each(['/no/such/page', '/auth/no-such-page', '/about/more'])(
  '%s is no page, and says so without the sidebar',
  async (path) => {
    await openApp(path)
    expect(await screen.findByText('404 · Page Not Found')).toBeVisible()
    expect(screen.getAllByRole('main')).toHaveLength(1)
  },
)

it.each(['/no/such/page', '/about/more'])(
  '%s is no page, and says so to a user in the frame of the user',
  async (path) => {
    await openSignedIn(path)
    expect(await screen.findByText('404 · Page Not Found')).toBeVisible()
    expect(screen.getAllByRole('main')).toHaveLength(1)
    expect(screen.getAllByRole('navigation', { name: 'Main navigation' }).length).toBeGreaterThan(0)
  },
)

it('an address that only leads elsewhere does so from a cold start', async () => {
  const { router } = await openApp('/user/wallet?tab=recharges')
  await waitFor(() => expect(router.state.location.pathname).toBe('/auth/sign-in'))
  expect(router.state.location.search).toMatchObject({
    next: expect.stringContaining('/user/wallet?tab=recharges') as unknown,
  })
})
