import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { session } from '@/lib/session/current-session'
import { failure, server, success, stillLoading } from '@/test/msw/server'
import { openApp } from '@/test/render'
import { accessToken, refreshToken } from '@/test/tokens'

const login = '*/api/v2/auth/account_login/login'
const tokens = () => success({ access_token: accessToken(), refresh_token: refreshToken() })

async function fillIn(user: Awaited<ReturnType<typeof openApp>>['user']) {
  await user.type(await screen.findByLabelText('Email'), 'lin@example.com')
  await user.type(screen.getByLabelText('Password'), 'correct horse')
}

beforeEach(() => server.use(stillLoading))

describe('signing in', () => {
  it('sends what was typed and goes home', async () => {
    let sent: unknown
    server.use(
      http.post(login, async ({ request }) => {
        sent = await request.json()
        return tokens()
      }),
    )
    const { router, user } = await openApp('/auth/sign-in')
    await fillIn(user)
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(sent).toEqual({
      email: 'lin@example.com',
      password: 'correct horse',
      is_remember_me: true,
    })
    expect(session.state.status).toBe('authenticated')
  })

  it('goes back to the page that asked for it', async () => {
    server.use(http.post(login, tokens))
    const { router, user } = await openApp('/user/no-such-page?a=1')
    await fillIn(user)
    await user.keyboard('{Enter}')
    await waitFor(() => expect(router.state.location.href).toBe('/user/no-such-page?a=1'))
    expect(await screen.findByText('404 · Page Not Found')).toBeVisible()
  })

  it('follows a sign-in in another tab', async () => {
    const { router } = await openApp('/user/no-such-page?a=1')
    await screen.findByLabelText('Email')
    act(() => void session.signIn({ access_token: accessToken(), refresh_token: refreshToken() }))
    await waitFor(() => expect(router.state.location.href).toBe('/user/no-such-page?a=1'))
  })

  it('says at the fields what is missing, without asking the server', async () => {
    const { user } = await openApp('/auth/sign-in')
    await user.type(await screen.findByLabelText('Email'), 'lin@')
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    expect(await screen.findByText(/email is incomplete/)).toBeVisible()
    expect(screen.getByLabelText('Email')).toHaveFocus()
    expect(screen.getByLabelText('Password')).toBeInvalid()
  })

  it('shows the refusal in the server’s words', async () => {
    server.use(
      http.post(login, () =>
        failure(401, { message: 'Email or password is wrong', code: 'bad_credentials' }),
      ),
    )
    const { user } = await openApp('/auth/sign-in')
    await fillIn(user)
    await user.keyboard('{Enter}')
    expect(await screen.findByRole('alert')).toHaveTextContent('Email or password is wrong')
    expect(screen.getByRole('button', { name: 'Sign in' })).toBeEnabled()
  })

  it('says how long to wait after too many tries', async () => {
    server.use(
      http.post(login, () =>
        failure(429, { message: 'Too many', code: 'rate_limited' }, { 'Retry-After': '30' }),
      ),
    )
    const { user } = await openApp('/auth/sign-in')
    await fillIn(user)
    await user.keyboard('{Enter}')
    expect(await screen.findByRole('alert')).toHaveTextContent('Try again in 30 s')
  })

  it('says that the server can not be reached', async () => {
    server.use(http.post(login, () => Response.error()))
    const { user } = await openApp('/auth/sign-in')
    await fillIn(user)
    await user.keyboard('{Enter}')
    expect(await screen.findByRole('alert')).toHaveTextContent('can’t be reached')
  })

  it('asks for the second step when the server does', async () => {
    const sent: { two_fa_code?: string }[] = []
    server.use(
      http.post(login, async ({ request }) => {
        sent.push((await request.json()) as { two_fa_code?: string })
        if (sent.at(-1)?.two_fa_code === '123456') return tokens()
        const problem = { field: 'two_fa_code', code: 'required', message: 'Enter the code' }
        return failure(401, { message: 'Code needed', code: 'two_fa_required', errors: [problem] })
      }),
    )
    const { router, user } = await openApp('/auth/sign-in')
    await fillIn(user)
    await user.keyboard('{Enter}')
    const code = await screen.findByLabelText('Two-step code')
    expect(code).toBeValid()
    expect(screen.queryByText('Enter the code')).toBeNull()
    await user.type(code, '000000')
    expect(await screen.findByText('Enter the code')).toBeVisible()
    await user.clear(code)
    await user.type(code, '123456')
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(sent).toHaveLength(3)
  })

  it('shows the password on request and warns of Caps Lock', async () => {
    const { user } = await openApp('/auth/sign-in')
    const password = await screen.findByLabelText('Password')
    expect(password).toHaveAttribute('type', 'password')
    await user.click(screen.getByRole('button', { name: 'Show password' }))
    expect(password).toHaveAttribute('type', 'text')
    fireEvent.keyDown(password, { key: 'A', modifierCapsLock: true })
    expect(screen.getByText('Caps Lock is on')).toBeVisible()
  })

  it('is passed over by those who are signed in', async () => {
    const { router } = await openApp('/about')
    session.signIn({ access_token: accessToken(), refresh_token: refreshToken() })
    await router.navigate({ to: '/auth/sign-in', search: { next: '/user/x' } })
    expect(router.state.location.pathname).toBe('/user/x')
  })
})
