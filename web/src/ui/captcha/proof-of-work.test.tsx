import { createHash } from 'node:crypto'
import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { failure, server, site, stillLoading, success } from '@/test/msw/server'
import { LocalWorker } from '@/test/local-worker'
import { openApp } from '@/test/render'
import { accessToken, refreshToken } from '@/test/tokens'

const login = '*/api/v2/auth/account_login/login'
const verify = '*/api/v2/captcha-key-v2-verify'
const id = '0193e0a4-7c5b-7000-8000-00000000000a'

const tokens = () => success({ access_token: accessToken(), refresh_token: refreshToken() })

type Body = { email: string; password?: string; verify_token?: string }

/** Refuses a call until it has an answer that `isGood`. */
function guarded(sent: Body[], isGood = (token: string) => token.startsWith('solved')) {
  return async ({ request }: { request: Request }) => {
    const body = (await request.json()) as Body
    sent.push(body)
    if (isGood(body.verify_token ?? '')) return tokens()
    return failure(403, {
      message: 'Please complete the captcha first',
      code: 'captcha_required',
      details: { captcha_key_type: 'login', provider: 'pow', site_key: '' },
    })
  }
}

const challenges = { given: 0 }
const challenge = http.get('*/api/v2/captcha-key-v2', () => {
  challenges.given++
  return success({ id, cap_challenge_count: 5, cap_difficulty: 1 })
})

const always = http.get('*/api/v2/site', () =>
  success({
    ...site,
    captcha: { register: 'always', login: 'always', forgot_password: 'always' },
  }),
)

async function fillIn(user: Awaited<ReturnType<typeof openApp>>['user']) {
  await user.type(await screen.findByLabelText('Email'), 'lin@example.com')
  await user.type(screen.getByLabelText('Password'), 'correct horse')
}

beforeEach(() => {
  LocalWorker.running.clear()
  LocalWorker.isHeld = false
  challenges.given = 0
  vi.stubGlobal('Worker', LocalWorker)
  server.use(
    challenge,
    http.post(verify, () => success({ verify_token: 'solved', expires_at: '' })),
    stillLoading,
  )
})

describe('a sign-in that needs a captcha', () => {
  it('solves it beside the typing, shows how far it is, and sends again what the form holds then', async () => {
    const sent: Body[] = []
    let shown: { cap_id: string; solutions: number[] } | undefined
    server.use(
      http.post(login, guarded(sent)),
      http.post(verify, async ({ request }) => {
        shown = (await request.json()) as typeof shown
        return success({ verify_token: 'solved', expires_at: '' })
      }),
    )
    LocalWorker.isHeld = true
    const { router, user } = await openApp('/auth/sign-in')
    await fillIn(user)
    expect(challenges.given).toBe(0)
    await user.keyboard('{Enter}')
    const box = await screen.findByRole('group', { name: 'Check that you are human' })
    expect(box).toHaveTextContent('you can go on typing')
    expect(screen.getByRole('progressbar', { name: 'Progress of the check' })).toHaveValue(0)
    expect(screen.queryByRole('alert')).toBeNull()
    await user.type(screen.getByLabelText('Email'), '.cn')
    LocalWorker.release()
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))

    expect(shown?.cap_id).toBe(id)
    expect(shown?.solutions).toHaveLength(5)
    shown?.solutions.forEach((solution, index) =>
      expect(createHash('sha256').update(`${index}${id}${solution}`).digest('hex')).toMatch(/^0/),
    )
    expect(sent).toMatchObject([
      { email: 'lin@example.com', password: 'correct horse' },
      { email: 'lin@example.com.cn', password: 'correct horse', verify_token: 'solved' },
    ])
    expect(sent[0]).not.toHaveProperty('verify_token')
    expect(LocalWorker.running.size).toBe(0)
  })

  it('solves another puzzle when the first got too old', async () => {
    const sent: Body[] = []
    server.use(
      http.post(login, guarded(sent)),
      http.post(
        verify,
        () => failure(409, { message: 'The challenge is too old', code: 'captcha_expired' }),
        { once: true },
      ),
    )
    const { router, user } = await openApp('/auth/sign-in')
    await fillIn(user)
    await user.keyboard('{Enter}')
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(challenges.given).toBe(2)
  })

  it('says what went wrong with the check and begins it again at the next try', async () => {
    const sent: Body[] = []
    server.use(
      http.post(login, guarded(sent)),
      http.get('*/api/v2/captcha-key-v2', () => Response.error(), { once: true }),
    )
    const { router, user } = await openApp('/auth/sign-in')
    await fillIn(user)
    await user.keyboard('{Enter}')
    expect(await screen.findByRole('alert')).toHaveTextContent('can’t be reached')
    expect(screen.queryByRole('progressbar')).toBeNull()
    expect(screen.getByLabelText('Password')).toHaveValue('correct horse')
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
  })

  it('does not go round for ever when no answer is taken', async () => {
    const sent: Body[] = []
    server.use(
      http.post(
        login,
        guarded(sent, () => false),
      ),
    )
    const { user } = await openApp('/auth/sign-in')
    await fillIn(user)
    await user.keyboard('{Enter}')
    expect(await screen.findByRole('alert')).toHaveTextContent('complete the captcha first')
    expect(sent).toHaveLength(2)
    expect(screen.getByRole('button', { name: 'Sign in' })).toBeEnabled()
  })

  it('stops calculating when the page is left', async () => {
    server.use(http.post(login, guarded([])))
    LocalWorker.isHeld = true
    const { router, user } = await openApp('/auth/sign-in')
    await fillIn(user)
    await user.keyboard('{Enter}')
    await waitFor(() => expect(LocalWorker.running.size).toBeGreaterThan(0))
    await user.click(screen.getByRole('link', { name: 'Sign up' }))
    await waitFor(() => expect(LocalWorker.running.size).toBe(0))
    expect(router.state.location.pathname).toBe('/auth/sign-up')
  })
})

describe('where a captcha is always asked for', () => {
  const widget = { captcha_key_type: 'login', mode: 'always', provider: 'pow', site_key: '' }
  const asked: string[] = []
  beforeEach(() => {
    asked.length = 0
    server.use(
      always,
      http.get('*/api/v2/captcha-key', ({ request }) => {
        asked.push(new URL(request.url).searchParams.get('captcha_key_type') ?? '')
        return success(widget)
      }),
    )
  })

  it('is solved while the form is filled in, and again after a refusal', async () => {
    const sent: Body[] = []
    let isRight = false
    server.use(
      http.post(login, async ({ request }) => {
        sent.push((await request.json()) as Body)
        if (isRight) return tokens()
        return failure(401, { message: 'Email or password is wrong', code: 'bad_credentials' })
      }),
    )
    const { router, user } = await openApp('/auth/sign-in')
    expect(await screen.findByText('Check passed')).toBeVisible()
    await fillIn(user)
    await user.keyboard('{Enter}')
    expect(await screen.findByText('Email or password is wrong')).toBeVisible()
    expect(await screen.findByText('Check passed')).toBeVisible()
    isRight = true
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(asked).toEqual(['login', 'login'])
    expect(sent.map(({ verify_token }) => verify_token)).toEqual(['solved', 'solved'])
  })

  it('is not asked for again by the second step', async () => {
    const sent: Body[] = []
    const secondStep = (verify_token: string, code: string) =>
      failure(401, {
        message: 'The second step',
        code,
        details: { verify_token },
        errors: [{ field: 'two_fa_code', code, message: 'The second step' }],
      })
    server.use(
      http.post(login, async ({ request }) => {
        sent.push((await request.clone().json()) as Body)
      }),
      http.post(login, () => secondStep('pass-1', 'two_fa_required'), { once: true }),
      http.post(login, () => secondStep('pass-2', 'two_fa_wrong'), { once: true }),
      http.post(login, () => tokens()),
    )
    const { router, user } = await openApp('/auth/sign-in')
    expect(await screen.findByText('Check passed')).toBeVisible()
    await fillIn(user)
    await user.keyboard('{Enter}')
    await user.type(await screen.findByLabelText('Two-step code'), '111111')
    expect(await screen.findByText('The second step')).toBeVisible()
    await user.clear(screen.getByLabelText('Two-step code'))
    await user.type(screen.getByLabelText('Two-step code'), '222222')
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(sent.map(({ verify_token }) => verify_token)).toEqual(['solved', 'pass-1', 'pass-2'])
    expect(asked).toEqual(['login'])
  })

  it('waits with the form that was sent before it was solved', async () => {
    const sent: Body[] = []
    server.use(http.post(login, guarded(sent)))
    LocalWorker.isHeld = true
    const { router, user } = await openApp('/auth/sign-in')
    await screen.findByRole('progressbar')
    await fillIn(user)
    await user.keyboard('{Enter}')
    expect(sent).toEqual([])
    await waitFor(() => expect(LocalWorker.running.size).toBeGreaterThan(0))
    LocalWorker.release()
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(sent).toHaveLength(1)
  })

  it.each([
    ['/auth/sign-in?with=code', 'login', 'account_login', 'Send code'],
    ['/auth/forgot-password', 'forgot_password', 'account_reset_password', 'Send me a code'],
    ['/auth/sign-up', 'register', 'account_register', 'Send code'],
  ])('goes with the request for a code at %s', async (path, kind, call, button) => {
    let body: unknown
    server.use(
      http.get('*/api/v2/site', () =>
        success({
          ...site,
          sign_up: { mode: 'open', email_code: true },
          captcha: { register: 'always', login: 'always', forgot_password: 'always' },
        }),
      ),
      http.post(`*/api/v2/auth/${call}/request-email-code`, async ({ request }) => {
        body = await request.json()
        return success({})
      }),
    )
    const { user } = await openApp(path)
    expect(await screen.findByText('Check passed')).toBeVisible()
    await user.type(await screen.findByLabelText('Email'), 'lin@example.com')
    await user.click(screen.getByRole('button', { name: button }))
    expect(await screen.findByText(/sent a code to lin@example.com/)).toBeVisible()
    expect(body).toEqual({ email: 'lin@example.com', verify_token: 'solved' })
    expect(asked).toEqual([kind])
  })
})
