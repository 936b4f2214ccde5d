import { act, screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { failure, server, success, stillLoading } from '@/test/msw/server'
import { openApp, openSignedIn } from '@/test/render'
import { accessToken, refreshToken } from '@/test/tokens'
import { session } from '@/lib/session/current-session'

const refreshCall = '*/api/v2/auth/jwt_token/jwt_access_refresh'
const page = '/user/no-such-page'

async function openExpired() {
  const opened = await openApp('/about')
  session.signIn({ access_token: accessToken({}, -60), refresh_token: refreshToken() })
  await opened.router.navigate({ href: page })
  return opened
}

beforeEach(() => server.use(stillLoading))

describe('pages under /user', () => {
  it('lead guests to sign-in, with the way back', async () => {
    const { router } = await openApp(page)
    await waitFor(() => expect(router.state.location.pathname).toBe('/auth/sign-in'))
    expect(router.state.location.search).toEqual({ next: page })
  })

  it('let users in', async () => {
    const { router } = await openSignedIn(page)
    expect(router.state.location.pathname).toBe(page)
  })

  it('refresh an expired session first', async () => {
    server.use(
      http.post(refreshCall, () => success({ access_token: accessToken(), refresh_token: null })),
    )
    const { router } = await openExpired()
    expect(router.state.location.pathname).toBe(page)
  })

  it('lead to sign-in when the refresh is refused', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    server.use(
      http.post(refreshCall, () => failure(401, { message: 'revoked', code: 'unauthorized' })),
    )
    const { router } = await openExpired()
    expect(router.state.location.pathname).toBe('/auth/sign-in')
  })

  it('ask nothing when refreshing was stopped', async () => {
    sessionStorage.setItem('stop_refresh', 'true')
    const { router } = await openApp(page)
    await waitFor(() => expect(router.state.status).toBe('idle'))
    expect(router.state.location.pathname).toBe(page)
  })

  it('are left when the session ends', async () => {
    const { router } = await openSignedIn(page)
    act(() => session.signOut())
    await waitFor(() => expect(router.state.location.pathname).toBe('/auth/sign-in'))
    expect(router.state.location.search).toEqual({ next: page })
  })
})

describe('a session that ends on an open page', () => {
  it('leads to sign-in and back', async () => {
    const { router } = await openSignedIn('/about')
    act(() => session.signOut())
    await waitFor(() => expect(router.state.location.pathname).toBe('/auth/sign-in'))
    expect(router.state.location.search).toEqual({ next: '/about' })
  })
})

describe('addresses', () => {
  it.each(['/', '/user'])('%s leads to the dashboard', async (path) => {
    const { router } = await openSignedIn(path)
    expect(router.state.location.pathname).toBe('/user/dashboard')
  })

  it('/auth leads to sign-in', async () => {
    const { router } = await openApp('/auth')
    await waitFor(() => expect(router.state.location.pathname).toBe('/auth/sign-in'))
  })

  it('that do not exist say so', async () => {
    await openApp('/no/such/page')
    expect(await screen.findByText('404 · Page Not Found')).toBeVisible()
  })
})
