import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { session } from '@/lib/session/current-session'
import { failure, server, stillLoading, success } from '@/test/msw/server'
import { openApp, openSignedIn } from '@/test/render'
import { accessToken, refreshToken, someone } from '@/test/tokens'
import { forgetUrlTokens } from './url-tokens'

const page = '/auth/sign-in-by-access-jwt'
const getMe = '*/api/v2/user/get_me'

const ming = { ...someone, user_id: 8, user_name: 'Ming', email: 'ming@example.com' }
const mings = accessToken({ subject_access: ming })

const mingsRefresh = refreshToken(8)

const link = (access = mings, refresh = mingsRefresh, query = '') =>
  `${page}${query}#access_token=${access}&refresh_token=${refresh}`

/** Answers whose token it is; any other is refused. */
const owners = http.get(getMe, ({ request }) =>
  request.headers.get('Authorization') === `Bearer ${mings}`
    ? success(ming)
    : failure(401, { message: 'Please sign in', code: 'sign_in_required' }),
)

beforeEach(() => {
  forgetUrlTokens()
  server.use(owners, stillLoading)
})

describe('a link with tokens', () => {
  it('signs a guest in and leaves the address at once', async () => {
    const { router } = await openApp(link())
    const seen: string[] = []
    router.history.subscribe(({ location }) => seen.push(location.href))
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(seen[0]).toBe(page)
    expect(seen.join()).not.toContain('token=')
    expect(router.history.length).toBe(1)
    expect(session.state).toMatchObject({ status: 'authenticated', user: ming })
    expect(localStorage.getItem('refresh_token')).toBe(mingsRefresh)
  })

  it('goes on to a page of this site, never to another', async () => {
    const first = await openApp(link(mings, mingsRefresh, '?next=%2Fuser%2Fx'))
    await waitFor(() => expect(first.router.state.location.pathname).toBe('/user/x'))
    const second = await openApp(link(mings, mingsRefresh, '?next=%2F%5Cevil.example'))
    await waitFor(() => expect(second.router.state.location.pathname).toBe('/user/dashboard'))
  })

  it('asks before it replaces another session, which ends then', async () => {
    let ended: string | null = null
    server.use(
      http.post('*/api/v2/auth/sign-out', ({ request }) => {
        ended = request.headers.get('Authorization')
        return success({})
      }),
    )
    const { router, user } = await openSignedIn(link())
    const before = session.accessToken()
    expect(await screen.findByRole('heading', { name: 'Switch accounts?' })).toBeVisible()
    expect(screen.getByText('ming@example.com')).toBeVisible()
    expect(screen.getByText('lin@example.com')).toBeVisible()
    expect(session.state).toMatchObject({ user: someone })
    await user.click(screen.getByRole('button', { name: 'Switch to this account' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(session.state).toMatchObject({ user: ming })
    expect(ended).toBe(`Bearer ${before}`)
  })

  it('leaves the other session as it is when told so', async () => {
    const { router, user } = await openSignedIn(link())
    await user.click(await screen.findByRole('button', { name: 'Stay as I am' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(session.state).toMatchObject({ user: someone })
    await waitFor(() => expect(screen.queryByText('Switch accounts?')).toBeNull())
    await router.navigate({ to: page })
    expect(await screen.findByText('This link doesn’t sign you in')).toBeVisible()
  })

  it('does not ask whoever is signed in as the same', async () => {
    const { router } = await openApp('/about')
    session.signIn({ access_token: mings, refresh_token: mingsRefresh })
    await router.navigate({ href: link() })
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(session.state).toMatchObject({ user: ming })
  })

  it('takes no refresh token of somebody else', async () => {
    const { router } = await openApp(link(mings, refreshToken(9)))
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(localStorage.getItem('refresh_token')).toBeNull()
  })

  it('says that it does not sign in when the server refuses it', async () => {
    const { user, router } = await openApp(link(accessToken()))
    expect(await screen.findByText('This link doesn’t sign you in')).toBeVisible()
    expect(session.state.status).toBe('unauthenticated')
    await user.click(screen.getByRole('link', { name: 'Go to sign-in' }))
    expect(router.state.location.pathname).toBe('/auth/sign-in')
  })

  it('takes no token from the query', async () => {
    await openApp(`${page}?access_token=${mings}&refresh_token=${mingsRefresh}`)
    expect(await screen.findByText('This link doesn’t sign you in')).toBeVisible()
    expect(session.state.status).toBe('unauthenticated')
  })

  it('can be tried again when the server was not reached', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    let isDown = true
    server.use(
      http.get(getMe, () =>
        isDown ? failure(503, { message: 'Down', code: 'unavailable' }) : success(ming),
      ),
    )
    const { router, user } = await openApp(link())
    const retry = await screen.findByRole('button', { name: 'Try again' })
    isDown = false
    await user.click(retry)
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
  })
})

describe('the sign-in page after a link that was refused', () => {
  it.each([
    ['sign_in_link_invalid', /not valid, was used already or is too old/],
    ['invalid_input', /is incomplete/],
    ['too_many_requests', /Wait a minute/],
    ['internal_error', /could not sign you in right now/],
    ['constructor', /could not sign you in right now/],
    ['<b>You have won</b>', /could not sign you in right now/],
  ])('says of %s what it means', async (reason, text) => {
    await openApp(`/auth/sign-in?reason=${encodeURIComponent(reason)}`)
    expect(await screen.findByRole('alert')).toHaveTextContent(text)
    expect(screen.queryByText(/You have won/)).toBeNull()
    expect(await screen.findByLabelText('Email')).toBeVisible()
  })
})
