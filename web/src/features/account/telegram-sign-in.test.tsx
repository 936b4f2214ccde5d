import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { failure, server, site, stillLoading, success } from '@/test/msw/server'
import { openApp } from '@/test/render'
import { accessToken, refreshToken } from '@/test/tokens'

const begin = '*/api/v2/auth/telegram/begin'
const state = '*/api/v2/auth/telegram/state'
const login = '*/api/v2/auth/telegram/login'

const begun = (login_code: string) => ({
  login_code,
  link: `https://t.me/airstrip_bot?start=${login_code}`,
  number: 47,
  bot_name: 'airstrip_bot',
  expires_at: '2026-11-20T12:05:00Z',
})
const tokens = () => success({ access_token: accessToken(), refresh_token: refreshToken() })
const withBot = http.get('*/api/v2/site', () => success({ ...site, telegram: 'airstrip_bot' }))

/** Answers the states one after the other, and the last one from then on. */
function answerStates(...states: string[]) {
  const left = [...states]
  server.use(
    http.post(state, () => success({ state: left.length > 1 ? left.shift() : left[0] })),
    http.post(begin, () => success(begun('one'))),
  )
}

beforeEach(() => server.use(stillLoading, withBot))

describe('signing in with Telegram', () => {
  it('shows the code and the number, and goes on by itself once it is confirmed', async () => {
    let sent: unknown
    answerStates('waiting', 'opened', 'confirmed')
    server.use(
      http.post(login, async ({ request }) => {
        sent = await request.json()
        return tokens()
      }),
    )
    const { router, user } = await openApp('/auth/sign-in')
    await user.click(await screen.findByRole('link', { name: 'Sign in with Telegram' }))
    expect(await screen.findByRole('img', { name: /@airstrip_bot/ })).toBeVisible()
    expect(screen.getByText('47')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Open Telegram' })).toHaveAttribute(
      'href',
      'https://t.me/airstrip_bot?start=one',
    )
    expect(await screen.findByText(/Telegram asks you now/)).toBeVisible()
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(sent).toEqual({ login_code: 'one', is_remember_me: true })
  })

  it('asks for the second step where the account has one', async () => {
    answerStates('confirmed')
    server.use(
      http.post(login, async ({ request }) => {
        const body = (await request.json()) as { two_fa_code?: string }
        if (body.two_fa_code === '654321') return tokens()
        const problem = { field: 'two_fa_code', code: 'two_fa_required', message: 'Enter the code' }
        return failure(401, { message: 'Code', code: 'two_fa_required', errors: [problem] })
      }),
    )
    const { router, user } = await openApp('/auth/sign-in?with=telegram')
    await user.type(await screen.findByLabelText('Two-step code'), '654321{Enter}')
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
  })

  it.each([
    ['denied', /was refused/],
    ['over', /has expired/],
  ])('offers a new code when the old one is %s', async (end, words) => {
    let asked = 0
    answerStates(end)
    server.use(http.post(begin, () => success(begun(asked++ === 0 ? 'one' : 'two'))))
    const { user } = await openApp('/auth/sign-in?with=telegram')
    expect(await screen.findByText(words)).toBeVisible()
    server.use(http.post(state, () => success({ state: 'waiting' })))
    await user.click(screen.getByRole('button', { name: 'Get a new code' }))
    expect(await screen.findByRole('link', { name: 'Open Telegram' })).toHaveAttribute(
      'href',
      'https://t.me/airstrip_bot?start=two',
    )
  })

  it('says what stands in the way, and tries again', async () => {
    server.use(
      http.post(begin, () =>
        failure(503, { message: 'Telegram is not available', code: 'telegram_unavailable' }),
      ),
    )
    const { user } = await openApp('/auth/sign-in?with=telegram')
    expect(await screen.findByText('Telegram is not available')).toBeVisible()
    answerStates('waiting')
    await user.click(screen.getByRole('button', { name: 'Get a new code' }))
    expect(await screen.findByText('47')).toBeVisible()
  })

  it('is not offered by a site without a bot', async () => {
    server.use(http.get('*/api/v2/site', () => success({ ...site, site_name: 'Swift' })))
    await openApp('/auth/sign-in')
    await waitFor(() => expect(document.title).toContain('Swift'))
    expect(screen.queryByRole('link', { name: 'Sign in with Telegram' })).toBeNull()
  })
})
