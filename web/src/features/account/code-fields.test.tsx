import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { LocalWorker } from '@/test/local-worker'
import { failure, server, site, success, stillLoading } from '@/test/msw/server'
import { openApp, openSignedIn } from '@/test/render'
import { accessToken, refreshToken } from '@/test/tokens'

const account = '*/api/v2/user/account'
const tokens = () => success({ access_token: accessToken(), refresh_token: refreshToken() })
const wrong = (field: string) =>
  failure(422, {
    message: 'Check the form',
    code: 'invalid_input',
    errors: [{ field, code: 'code_wrong', message: 'The code is wrong' }],
  })

type Body = Record<string, string>
/** Answers calls one after the other, the last of them for ever, and keeps what was sent. */
function answering(path: string, ...answers: (() => Response | Promise<Response>)[]) {
  const sent: Body[] = []
  server.use(
    http.post(path, async ({ request }) => {
      sent.push((await request.json()) as Body)
      return (answers[sent.length - 1] ?? answers.at(-1) ?? (() => success({})))()
    }),
  )
  return sent
}

const expectDigits = (field: HTMLElement) => {
  expect(field).toHaveAttribute('inputmode', 'numeric')
  expect(field).toHaveAttribute('autocomplete', 'one-time-code')
}
const dialog = async () => within(await screen.findByRole('dialog'))

beforeEach(() => server.use(stillLoading))

describe('the second step of a sign-in', () => {
  const login = '*/api/v2/auth/account_login/login'
  const open = async (...answers: (() => Response)[]) => {
    const sent = answering(login, () => wrong('two_fa_code'), ...answers)
    const opened = await openApp('/auth/sign-in')
    await opened.user.type(await screen.findByLabelText('Email'), 'lin@example.com')
    await opened.user.type(screen.getByLabelText('Password'), 'correct horse{Enter}')
    return { ...opened, sent, code: await screen.findByLabelText('Two-step code') }
  }

  it('takes a code that was copied with spaces and goes on by itself', async () => {
    const { router, user, sent, code } = await open(tokens)
    expectDigits(code)
    expect(code).toHaveFocus()
    await user.paste(' 123 456\n')
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(sent.map(({ two_fa_code }) => two_fa_code)).toEqual([undefined, '123456'])
  })

  it('keeps a wrong code selected, and tries no code twice because of a seventh digit', async () => {
    const { user, sent, code } = await open(() => wrong('two_fa_code'))
    await user.type(code, '111111')
    expect(await screen.findByText('The code is wrong')).toBeVisible()
    expect(code).toHaveFocus()
    const field = code as HTMLInputElement
    expect([field.selectionStart, field.selectionEnd]).toEqual([0, 6])
    field.setSelectionRange(6, 6)
    await user.keyboard('7')
    expect(code).toHaveValue('111111')
    expect(sent).toHaveLength(2)
  })

  it('takes a recovery code, by its button or its first letter, and waits for Enter', async () => {
    const { router, user, sent, code } = await open(tokens)
    await user.type(code, '12')
    await user.click(screen.getByRole('button', { name: 'Use a recovery code' }))
    const recovery = screen.getByLabelText('Recovery code')
    expect(recovery).toHaveFocus()
    expect(recovery).toHaveValue('')
    expect(recovery).toHaveAttribute('inputmode', 'text')
    await user.click(screen.getByRole('button', { name: 'Use the app’s code' }))
    await user.type(screen.getByLabelText('Two-step code'), 'a23456-BCDEF')
    expect(screen.getByLabelText('Recovery code')).toHaveValue('a23456-BCDEF')
    expect(sent).toHaveLength(1)
    await user.keyboard('{Enter}')
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(sent.at(-1)?.two_fa_code).toBe('a23456-BCDEF')
  })
})

describe('two-step verification', () => {
  const security = (isOn: boolean) =>
    server.use(
      http.get(`${account}/security`, () =>
        success({
          ga_enable: isOn,
          recovery_codes_left: 9,
          email_notification: true,
          password_changed_at: '2026-01-01T00:00:00Z',
        }),
      ),
      http.get(`${account}/sessions`, () => success([])),
      http.get(`${account}/me`, () => success({ telegram_linked: false })),
    )

  it('is turned on by the sixth digit of the app', async () => {
    security(false)
    server.use(
      http.post(`${account}/two-factor/begin`, () => success({ secret: 'JBSW', uri: 'otpauth:x' })),
    )
    const sent = answering(`${account}/security`, () =>
      success({ recovery_codes: ['AAAAA-BBBBB'] }),
    )
    const { user } = await openSignedIn('/user/account/security')
    await user.click(await screen.findByRole('button', { name: 'Turn on' }))
    await user.type((await dialog()).getByLabelText('Password'), 'correct horse{Enter}')
    const code = await screen.findByLabelText('Code')
    expectDigits(code)
    await waitFor(() => expect(code).toHaveFocus())
    await user.paste('１２３ 456')
    expect(await screen.findByText('AAAAA-BBBBB')).toBeInTheDocument()
    expect(sent).toEqual([{ ga_enable: true, ga_token: '123456' }])
  })

  it('is confirmed in a dialog by the last digit, once the password is there', async () => {
    security(true)
    const sent = answering(`${account}/two-factor/recovery-codes`, () =>
      success({ recovery_codes: ['EEEEE-FFFFF'] }),
    )
    const { user } = await openSignedIn('/user/account/security')
    await user.click(await screen.findByRole('button', { name: 'New recovery codes' }))
    const code = (await dialog()).getByLabelText('Code')
    expectDigits(code)
    await user.type(code, '123 456')
    expect((await dialog()).getByLabelText('Password')).toHaveFocus()
    expect(sent).toEqual([])
    await user.keyboard('correct horse')
    await user.clear(code)
    await user.type(code, '654321')
    expect(await screen.findByText('EEEEE-FFFFF')).toBeInTheDocument()
    expect(sent).toEqual([{ password: 'correct horse', ga_token: '654321' }])
  })
})

describe('the codes of another address', () => {
  it('go on by themselves: from the one to the other, then to the server', async () => {
    server.use(
      http.get(`${account}/me`, () => success({ email: 'old@example.com', user_name: 'Lin' })),
    )
    server.use(http.post(`${account}/edit-email/request-email-code`, () => success({})))
    const sent = answering(
      `${account}/edit-email`,
      () => wrong('email_code'),
      () => success({}),
    )
    const { user } = await openSignedIn('/user/account/edit-email')
    await user.type(await screen.findByLabelText('New email'), 'new@example.com')
    await user.type(screen.getByLabelText('Current password'), 'correct horse{Enter}')
    const present = await screen.findByLabelText(/old@example.com/)
    const fresh = screen.getByLabelText(/new@example.com/)
    expectDigits(present)
    expectDigits(fresh)
    expect(present).toHaveFocus()
    await user.paste('111 111')
    expect(fresh).toHaveFocus()
    await user.paste('222 222')
    expect(await screen.findByText('The code is wrong')).toBeVisible()
    expect(fresh).toHaveFocus()
    await user.paste('333333')
    expect(await screen.findByText(/Your email is changed/)).toBeVisible()
    expect(sent.map((body) => [body.current_email_code, body.email_code])).toEqual([
      ['111111', '222222'],
      ['111111', '333333'],
    ])
  })
})

describe('a site that always asks for a captcha', () => {
  let challenges = 0
  beforeEach(() => {
    challenges = 0
    vi.stubGlobal('Worker', LocalWorker)
    const captcha = { register: 'always', login: 'always', forgot_password: 'always' }
    const widget = { captcha_key_type: 'register', mode: 'always', provider: 'pow', site_key: '' }
    server.use(
      http.get('*/api/v2/site', () =>
        success({ ...site, sign_up: { mode: 'open', email_code: true }, captcha }),
      ),
      http.get('*/api/v2/captcha-key', () => success(widget)),
      http.get('*/api/v2/captcha-key-v2', () => {
        challenges += 1
        return success({ id: 'c', cap_challenge_count: 1, cap_difficulty: 1 })
      }),
      http.post('*/api/v2/captcha-key-v2-verify', () => success({ verify_token: 'solved' })),
    )
  })

  it('asks for one at sign-up, however often the e-mail code is wrong', async () => {
    const codes = answering('*/api/v2/auth/account_register/request-email-code')
    const sent = answering('*/api/v2/auth/account_register', () => wrong('email_code'), tokens)
    const { router, user } = await openApp('/auth/sign-up')
    await user.type(await screen.findByLabelText('Email'), 'lin@example.com')
    await user.click(screen.getByRole('button', { name: 'Send code' }))
    const code = screen.getByLabelText('Code from the email')
    await waitFor(() => expect(code).toHaveFocus())
    expectDigits(code)
    await user.paste('111 111')
    expect(screen.getByLabelText('Name')).toHaveFocus()
    await user.type(screen.getByLabelText('Name'), 'Lin')
    await user.type(screen.getByLabelText('Password'), 'correct horse')
    await user.type(screen.getByLabelText('Password again'), 'correct horse{Enter}')
    expect(await screen.findByText('The code is wrong')).toBeVisible()
    expect(code).toHaveFocus()
    expect(screen.queryByRole('group', { name: /human/ })).toBeNull()
    expect(screen.getByText(/lin@example.com/)).toBeVisible()
    await user.paste('222222')
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(sent.map(({ email_code }) => email_code)).toEqual(['111111', '222222'])
    expect(codes).toEqual([{ email: 'lin@example.com', verify_token: 'solved' }])
    expect(challenges).toBe(1)
  })

  it.each([
    ['sign-in', '/auth/sign-in?with=code', 'account_login/login-by-email-code'],
    ['a reset', '/auth/forgot-password', 'account_reset_password'],
  ])('asks for one at %s, however often the e-mail code is wrong', async (_, page, path) => {
    const codes = answering(`*/api/v2/auth/${path.split('/')[0]}/request-email-code`)
    const sent = answering(`*/api/v2/auth/${path}`, () => wrong('email_code'))
    const { user } = await openApp(page)
    await user.type(await screen.findByLabelText('Email'), 'lin@example.com')
    await user.click(await screen.findByRole('button', { name: /^Send/ }))
    const code = await screen.findByLabelText('Code from the email')
    await waitFor(() => expect(code).toHaveFocus())
    for (const [index, digits] of ['111111', '222222'].entries()) {
      await user.paste(digits)
      const password = screen.queryByLabelText('New password')
      if (password && index === 0) await user.type(password, 'correct horse{Enter}')
      await waitFor(() => expect(sent).toHaveLength(index + 1))
      expect(await screen.findByText('The code is wrong')).toBeVisible()
      expect(code).toHaveFocus()
    }
    expect(screen.queryByRole('group', { name: /human/ })).toBeNull()
    expect(codes).toEqual([{ email: 'lin@example.com', verify_token: 'solved' }])
    expect(challenges).toBe(1)
  })
})
