import { screen, waitFor } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { failure, server, site, success, stillLoading } from '@/test/msw/server'
import { openApp } from '@/test/render'
import { accessToken, refreshToken } from '@/test/tokens'

const register = '*/api/v2/auth/account_register'
const withSignUp = (mode: string) =>
  http.get('*/api/v2/site', () => success({ ...site, sign_up: { mode, email_code: false } }))

async function fillIn(user: Awaited<ReturnType<typeof openApp>>['user']) {
  await user.type(await screen.findByLabelText('Email'), 'lin@example.com')
  await user.type(screen.getByLabelText('Name'), 'Lin')
  await user.type(screen.getByLabelText('Password'), 'correct horse')
  await user.type(screen.getByLabelText('Password again'), 'correct horse')
}

const refuseCode = () =>
  server.use(
    http.post(`${register}/check-invite-code`, () =>
      failure(422, {
        message: 'Check the form',
        code: 'invalid_input',
        errors: [
          {
            field: 'invite_code',
            code: 'invite_code_unknown',
            message: 'This invite code is not valid',
          },
        ],
      }),
    ),
  )

const submit = () => screen.getByRole('button', { name: 'Create account' })

beforeEach(() => {
  sessionStorage.clear()
  server.use(
    stillLoading,
    http.post(`${register}/check-invite-code`, () => success({})),
  )
})

describe('signing up', () => {
  it('signs in to the account of a first try whose answer was lost', async () => {
    let tries = 0
    let signedIn: unknown
    server.use(
      withSignUp('open'),
      http.post(register, () => {
        tries += 1
        return tries === 1
          ? HttpResponse.error()
          : failure(409, { message: 'It has an account already', code: 'email_taken' })
      }),
      http.post('*/api/v2/auth/account_login/login', async ({ request }) => {
        signedIn = await request.json()
        return success({ access_token: accessToken(), refresh_token: refreshToken() })
      }),
    )
    const { user, router } = await openApp('/auth/sign-up')
    await fillIn(user)
    await user.click(submit())
    await screen.findByText(/can’t be reached/)
    await user.click(submit())
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(signedIn).toMatchObject({ email: 'lin@example.com', password: 'correct horse' })
  })

  it('signs in to no account that was there before', async () => {
    server.use(
      withSignUp('open'),
      http.post(register, () =>
        failure(409, { message: 'It has an account already', code: 'email_taken' }),
      ),
    )
    const { user } = await openApp('/auth/sign-up')
    await fillIn(user)
    await user.click(submit())
    expect(await screen.findByText('It has an account already')).toBeVisible()
  })

  it('asks to accept the terms, and sends which version was accepted', async () => {
    let sent: unknown
    server.use(
      http.get('*/api/v2/site', () =>
        success({ ...site, legal: { version: 'v7', has_terms: true, has_privacy: true } }),
      ),
      http.post(register, async ({ request }) => {
        sent = await request.json()
        return success({ access_token: accessToken(), refresh_token: refreshToken() })
      }),
    )
    const { user } = await openApp('/auth/sign-up')
    await fillIn(user)
    await user.click(submit())
    expect(await screen.findByText('Please accept this to sign up')).toBeVisible()
    expect(sent).toBeUndefined()
    const box = screen.getByRole('checkbox', { name: /terms of service and the privacy notice/ })
    expect(screen.getByRole('link', { name: 'privacy notice' })).toHaveAttribute('href', '/privacy')
    await user.click(box)
    await user.click(submit())
    await waitFor(() => expect(sent).toMatchObject({ accepted_terms: 'v7' }))
  })

  it('asks again where the terms changed meanwhile, and sends the version that is there then', async () => {
    const versions = ['v7', 'v8']
    const sent: unknown[] = []
    server.use(
      http.get('*/api/v2/site', () =>
        success({ ...site, legal: { version: versions[0], has_terms: true, has_privacy: false } }),
      ),
      http.post(register, async ({ request }) => {
        const body = (await request.json()) as { accepted_terms?: string }
        sent.push(body.accepted_terms)
        if (body.accepted_terms === 'v8')
          return success({ access_token: accessToken(), refresh_token: refreshToken() })
        versions.shift()
        const message = 'The terms have changed'
        const errors = [{ field: 'accepted_terms', code: 'outdated', message }]
        return failure(422, { code: 'invalid_input', message: 'Check the form', errors })
      }),
    )
    const { user } = await openApp('/auth/sign-up')
    await fillIn(user)
    const box = screen.getByRole('checkbox', { name: /accept the terms of service/ })
    await user.click(box)
    await user.click(submit())
    expect(await screen.findByText('The terms have changed')).toBeVisible()
    expect(box).not.toBeChecked()
    await user.click(box)
    await user.click(submit())
    await waitFor(() => expect(sent).toEqual(['v7', 'v8']))
  })

  it('creates the account, with the invite code of the link, and goes home', async () => {
    let sent: unknown
    server.use(
      http.post(register, async ({ request }) => {
        sent = await request.json()
        return success({ access_token: accessToken(), refresh_token: refreshToken() })
      }),
    )
    const { router, user } = await openApp('/auth/sign-up?invite_code=ABCDEFGH23')
    await fillIn(user)
    await user.click(submit())
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(sent).toEqual({
      email: 'lin@example.com',
      name: 'Lin',
      password: 'correct horse',
      re_password: 'correct horse',
      invite_code: 'ABCDEFGH23',
    })
  })

  it('leads a guest who chose a plan to it, by way of the code in the email', async () => {
    server.use(
      http.get('*/api/v2/site', () =>
        success({ ...site, sign_up: { mode: 'open', email_code: true } }),
      ),
      http.post(register, () =>
        success({ access_token: accessToken(), refresh_token: refreshToken() }),
      ),
    )
    const { router, user } = await openApp('/user/services/buy?plan=2&months=12&coupon=SPRING')
    await user.click(await screen.findByRole('link', { name: 'Sign up' }))
    await fillIn(user)
    await user.type(screen.getByLabelText('Code from the email'), '123456')
    await user.click(submit())
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/services/buy'))
    expect(router.state.location.search).toMatchObject({ plan: 2, months: 12, coupon: 'SPRING' })
  })

  it('says at the fields what is wrong', async () => {
    const { user } = await openApp('/auth/sign-up')
    await user.type(await screen.findByLabelText('Password'), 'short')
    await user.type(screen.getByLabelText('Password again'), 'other')
    await user.click(submit())
    expect(await screen.findByText('Use at least 8 characters')).toBeVisible()
    expect(screen.getByLabelText('Email')).toBeInvalid()
    expect(screen.getByLabelText('Name')).toBeInvalid()
  })

  it('says when the two passwords differ', async () => {
    const { user } = await openApp('/auth/sign-up')
    await fillIn(user)
    await user.type(screen.getByLabelText('Password again'), '!')
    await user.click(submit())
    expect(await screen.findByText('The two passwords differ')).toBeVisible()
  })

  it('puts the server’s objection at its field', async () => {
    const problem = { field: 'email', code: 'taken', message: 'This email is taken' }
    server.use(
      http.post(register, () =>
        failure(409, { message: 'Check the form', code: 'invalid_input', errors: [problem] }),
      ),
    )
    const { user } = await openApp('/auth/sign-up')
    await fillIn(user)
    await user.click(submit())
    expect(await screen.findByText('This email is taken')).toBeVisible()
    expect(screen.getByLabelText('Email')).toHaveFocus()
    expect(screen.queryByRole('alert')).not.toBeInTheDocument()
  })

  it('takes the code of an older link, too', async () => {
    await openApp('/auth/sign-up?code=ABCDEFGH23')
    expect(await screen.findByLabelText('Invite code (optional)')).toHaveValue('ABCDEFGH23')
  })

  it('says at once when the invite code of the link brings in nobody', async () => {
    refuseCode()
    await openApp('/auth/sign-up?invite_code=ABCDEFGH23')
    expect(await screen.findByText('This invite code is not valid')).toBeVisible()
    expect(screen.getByLabelText('Invite code (optional)')).toBeInvalid()
    expect(screen.getByLabelText('Invite code (optional)')).not.toHaveFocus()
  })

  it('says when a typed invite code brings in nobody, until it is changed', async () => {
    refuseCode()
    const { user } = await openApp('/auth/sign-up')
    const field = await screen.findByLabelText('Invite code (optional)')
    await user.type(field, 'ABCDEFGH23')
    await user.tab()
    expect(await screen.findByText('This invite code is not valid')).toBeVisible()
    await user.clear(field)
    await waitFor(() => expect(field).toBeValid())
  })

  it('keeps the invite code while the code by mail is asked for, and over the way to sign-in', async () => {
    server.use(
      http.get('*/api/v2/site', () =>
        success({ ...site, sign_up: { mode: 'invite', email_code: true } }),
      ),
      http.post('*/account_register/request-email-code', () => success({})),
    )
    const { user } = await openApp('/auth/sign-up?invite_code=ABCDEFGH23')
    await user.type(await screen.findByLabelText('Email'), 'lin@example.com')
    await user.click(screen.getByRole('button', { name: 'Send code' }))
    expect(await screen.findByText(/We sent a code/)).toBeVisible()
    expect(screen.getByLabelText('Invite code')).toHaveValue('ABCDEFGH23')
    await user.click(screen.getByRole('link', { name: 'Sign in' }))
    await user.click(await screen.findByRole('link', { name: 'Sign up' }))
    expect(await screen.findByLabelText('Invite code')).toHaveValue('ABCDEFGH23')
  })

  it('requires the invite code where the site does', async () => {
    server.use(withSignUp('invite'))
    const { user } = await openApp('/auth/sign-up')
    await fillIn(user)
    await user.click(submit())
    expect(await screen.findByLabelText('Invite code')).toBeInvalid()
  })

  it('offers no form where sign-up is closed', async () => {
    server.use(withSignUp('closed'))
    await openApp('/auth/sign-up')
    expect(await screen.findByRole('heading', { name: 'Sign-up is closed for now' })).toBeVisible()
    expect(screen.queryByLabelText('Email')).not.toBeInTheDocument()
  })

  it('shows a readable page when the site does not answer', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    server.use(
      http.get('*/api/v2/site', () => failure(400, { message: 'No such site', code: 'x' })),
    )
    await openApp('/auth/sign-up')
    expect(await screen.findByText('No such site')).toBeVisible()
    expect(screen.getByText('req-1')).toBeVisible()
  })
})
