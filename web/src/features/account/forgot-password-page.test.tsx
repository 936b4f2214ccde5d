import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { session } from '@/lib/session/current-session'
import { failure, server, stillLoading, success } from '@/test/msw/server'
import { openApp } from '@/test/render'
import { accessToken, refreshToken } from '@/test/tokens'

const request = '*/api/v2/auth/account_reset_password/request-email-code'
const reset = '*/api/v2/auth/account_reset_password'
const login = '*/api/v2/auth/account_login/login'

const sent: unknown[] = []
const take =
  (answer: () => Response) =>
  async ({ request: call }: { request: Request }) => {
    sent.push(await call.json())
    return answer()
  }

beforeEach(() => {
  sent.length = 0
  server.use(
    stillLoading,
    http.post(
      request,
      take(() => success({})),
    ),
    http.post(
      reset,
      take(() => success({})),
    ),
    http.post(
      login,
      take(() => success({ access_token: accessToken(), refresh_token: refreshToken() })),
    ),
  )
})

/** The page after the code was sent. */
async function openWithCode() {
  const opened = await openApp('/auth/forgot-password')
  await opened.user.type(await screen.findByLabelText('Email'), 'lin@example.com{Enter}')
  await screen.findByLabelText('Code from the email')
  return opened
}

describe('forgetting the password', () => {
  it('is a way that begins at the sign-in page', async () => {
    const { router, user } = await openApp('/auth/sign-in?next=%2Fuser%2Fx')
    await user.click(await screen.findByRole('link', { name: 'Forgot your password?' }))
    expect(router.state.location.href).toBe('/auth/forgot-password?next=%2Fuser%2Fx')
    expect(await screen.findByRole('heading', { name: 'Set a new password' })).toBeVisible()
  })

  it('sends a code, sets the password with it and signs in', async () => {
    const { router, user } = await openWithCode()
    expect(screen.getByText(/sent a code to lin@example.com/)).toBeVisible()
    expect(screen.getByLabelText('Code from the email')).toHaveFocus()
    await user.keyboard('012 345')
    expect(screen.getByLabelText('New password')).toHaveFocus()
    await user.keyboard('correct horse{Enter}')
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(sent).toEqual([
      { email: 'lin@example.com' },
      { email: 'lin@example.com', email_code: '012345', password: 'correct horse' },
      { email: 'lin@example.com', password: 'correct horse' },
    ])
    expect(session.state.status).toBe('authenticated')
  })

  it('goes on by itself at the sixth digit once the password is there', async () => {
    const { router, user } = await openWithCode()
    await user.type(screen.getByLabelText('New password'), 'correct horse')
    await user.type(screen.getByLabelText('Code from the email'), '012345')
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
  })

  it.each(['code_wrong', 'code_used', 'code_expired', 'code_tries'])(
    'says at the code that it is %s',
    async (code) => {
      server.use(
        http.post(reset, () =>
          failure(422, {
            message: 'Check the form',
            code: 'invalid_input',
            errors: [{ field: 'email_code', code, message: `The server says ${code}` }],
          }),
        ),
      )
      const { user } = await openWithCode()
      await user.type(screen.getByLabelText('New password'), 'correct horse')
      await user.type(screen.getByLabelText('Code from the email'), '012345')
      expect(await screen.findByText(`The server says ${code}`)).toBeVisible()
      expect(screen.getByLabelText('Code from the email')).toHaveFocus()
      expect(screen.getByLabelText('Code from the email')).toBeInvalid()
    },
  )

  it('counts down to when the code may be sent again', async () => {
    server.use(
      http.post(request, () =>
        failure(
          429,
          { message: 'Just sent', code: 'email_code_too_soon' },
          { 'Retry-After': '41' },
        ),
      ),
    )
    const { user } = await openApp('/auth/forgot-password')
    await user.type(await screen.findByLabelText('Email'), 'lin@example.com{Enter}')
    expect(await screen.findByRole('alert')).toHaveTextContent('Try again in 41 s')

    server.use(http.post(request, () => success({})))
    await user.keyboard('{Enter}')
    const again = await screen.findByRole('button', { name: /^Again in \d+ s$/ })
    expect(again).toBeDisabled()
  })

  it('says a long wait in the words of the server', async () => {
    server.use(
      http.post(request, () =>
        failure(
          429,
          { message: 'Come back tomorrow', code: 'too_many_email_codes' },
          { 'Retry-After': '80000' },
        ),
      ),
    )
    const { user } = await openApp('/auth/forgot-password')
    await user.type(await screen.findByLabelText('Email'), 'lin@example.com{Enter}')
    expect(await screen.findByRole('alert')).toHaveTextContent('Come back tomorrow')
  })

  it('takes address and code from the link in the mail and hides them', async () => {
    const { router, user } = await openApp('/auth/forgot-password#bGluQGV4YW1wbGUuY29t.012345')
    expect(await screen.findByLabelText('Code from the email')).toHaveValue('012345')
    await waitFor(() => expect(router.state.location.hash).toBe(''))
    await user.type(screen.getByLabelText('New password'), 'correct horse{Enter}')
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(sent[0]).toEqual({
      email: 'lin@example.com',
      email_code: '012345',
      password: 'correct horse',
    })
  })

  it('begins anew with another address, and where the link is damaged', async () => {
    const { user } = await openApp('/auth/forgot-password#damaged')
    await user.type(await screen.findByLabelText('Email'), 'lin@example.com{Enter}')
    await user.click(await screen.findByRole('button', { name: 'Use another email' }))
    expect(await screen.findByLabelText('Email')).toHaveValue('')
  })

  it('leads to the sign-in page where more than the password is asked for', async () => {
    server.use(http.post(login, () => failure(401, { message: 'Code', code: 'two_fa_required' })))
    const { router, user } = await openWithCode()
    await user.type(screen.getByLabelText('New password'), 'correct horse')
    await user.type(screen.getByLabelText('Code from the email'), '012345')
    await waitFor(() => expect(router.state.location.pathname).toBe('/auth/sign-in'))
    expect(await screen.findByText(/Your new password is set/)).toBeVisible()
  })
})
