import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { failure, server, site, stillLoading, success } from '@/test/msw/server'
import { openApp } from '@/test/render'
import { accessToken, refreshToken } from '@/test/tokens'

const request = '*/api/v2/auth/account_login/request-email-code'
const login = '*/api/v2/auth/account_login/login-by-email-code'
const tokens = () => success({ access_token: accessToken(), refresh_token: refreshToken() })

beforeEach(() => server.use(stillLoading))

describe('signing in with a code', () => {
  it('sends the code, and goes on at the sixth digit', async () => {
    let sent: unknown
    let asked: unknown
    server.use(
      http.post(request, async ({ request: call }) => {
        asked = await call.json()
        return success({})
      }),
      http.post(login, async ({ request: call }) => {
        sent = await call.json()
        return tokens()
      }),
    )
    const { router, user } = await openApp('/auth/sign-in')
    await user.click(await screen.findByRole('link', { name: 'Sign in with an email code' }))
    expect(router.state.location.href).toBe('/auth/sign-in?with=code')
    await user.click(await screen.findByRole('button', { name: 'Send code' }))
    expect(await screen.findByLabelText('Email')).toBeInvalid()
    expect(asked).toBeUndefined()

    await user.type(screen.getByLabelText('Email'), 'lin@example.com')
    await user.click(screen.getByRole('button', { name: 'Send code' }))
    expect(await screen.findByText(/sent a code to lin@example.com/)).toBeVisible()
    expect(asked).toEqual({ email: 'lin@example.com' })
    expect(screen.getByRole('button', { name: /^Again in/ })).toBeDisabled()
    expect(screen.getByLabelText('Code from the email')).toHaveFocus()
    await user.paste('０１２-345')
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(sent).toEqual({ email: 'lin@example.com', email_code: '012345', is_remember_me: true })
  })

  it('says at its field what is wrong with the code', async () => {
    const problem = { field: 'email_code', code: 'code_wrong', message: 'The code is wrong' }
    server.use(
      http.post(login, () =>
        failure(422, { message: 'Check', code: 'invalid_input', errors: [problem] }),
      ),
    )
    const { user } = await openApp('/auth/sign-in?with=code')
    await user.type(await screen.findByLabelText('Email'), 'lin@example.com')
    await user.type(screen.getByLabelText('Code from the email'), '12{Enter}')
    expect(await screen.findByText('Enter the 6 digits of the code')).toBeVisible()
    await user.type(screen.getByLabelText('Code from the email'), '3456')
    expect(await screen.findByText('The code is wrong')).toBeVisible()
    expect(screen.getByLabelText('Code from the email')).toHaveFocus()
  })

  it('asks for the second step when the server does', async () => {
    server.use(
      http.post(login, async ({ request: call }) => {
        const body = (await call.json()) as { two_fa_code?: string }
        if (body.two_fa_code === '654321') return tokens()
        const problem = { field: 'two_fa_code', code: 'two_fa_required', message: 'Enter the code' }
        return failure(401, { message: 'Code', code: 'two_fa_required', errors: [problem] })
      }),
    )
    const { router, user } = await openApp('/auth/sign-in?with=code')
    await user.type(await screen.findByLabelText('Email'), 'lin@example.com')
    await user.type(screen.getByLabelText('Code from the email'), '012345')
    await user.type(await screen.findByLabelText('Two-step code'), '654321{Enter}')
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
  })
})

describe('signing up with a code', () => {
  it('asks for it where the site does', async () => {
    let sent: unknown
    server.use(
      http.get('*/api/v2/site', () =>
        success({ ...site, sign_up: { mode: 'open', email_code: true } }),
      ),
      http.post('*/api/v2/auth/account_register/request-email-code', () => success({})),
      http.post('*/api/v2/auth/account_register', async ({ request: call }) => {
        sent = await call.json()
        return tokens()
      }),
    )
    const { router, user } = await openApp('/auth/sign-up')
    await user.type(await screen.findByLabelText('Email'), 'lin@example.com')
    await user.click(screen.getByRole('button', { name: 'Send code' }))
    expect(await screen.findByText(/sent a code to lin@example.com/)).toBeVisible()
    await user.type(screen.getByLabelText('Name'), 'Lin')
    await user.type(screen.getByLabelText('Password'), 'correct horse')
    await user.type(screen.getByLabelText('Password again'), 'correct horse')
    await user.click(screen.getByRole('button', { name: 'Create account' }))
    expect(await screen.findByText('Enter the 6 digits of the code')).toBeVisible()
    expect(sent).toBeUndefined()
    await user.type(screen.getByLabelText('Code from the email'), '012345')
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(sent).toEqual({
      email: 'lin@example.com',
      email_code: '012345',
      name: 'Lin',
      password: 'correct horse',
      re_password: 'correct horse',
    })
  })
})
