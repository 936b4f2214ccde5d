import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AccountMeResult, ActivityItem, LoginIp } from '@/lib/api/gen/types.gen'
import { session } from '@/lib/session/current-session'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { accessToken, refreshToken } from '@/test/tokens'

const api = '*/api/v2/user/account'
const at = '2026-11-20T08:00:00Z'
const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e'

const me: AccountMeResult = {
  user_id: 7,
  user_new_id: uuid,
  email: 'lin@example.com',
  user_name: 'Lin Xiao',
  created_at: at,
  last_login: at,
  is_verified: true,
  telegram_linked: false,
}

const firefox = { browser: 'Firefox 144', system: 'Linux', device_kind: 'computer' } as const

const signIn = (change: Partial<LoginIp> = {}): LoginIp => ({
  id: null,
  user_id: 7,
  login_ip: '192.0.2.1',
  created_at: at,
  is_login: true,
  wrong: '',
  area: 'JP',
  ...firefox,
  ...change,
})

const deed = (id: number, change: Partial<ActivityItem> = {}): ActivityItem => ({
  activity_id: id,
  activity_type: 'password_changed',
  description: 'Password changed',
  timestamp: at,
  ip_address: '192.0.2.1',
  area: 'JP',
  ...firefox,
  ...change,
})

beforeEach(() => server.use(http.get(`${api}/me`, () => success(me))))

describe('my account', () => {
  it('says who one is and leads to everything about it', async () => {
    await openSignedIn('/user/my-account')
    expect(await screen.findByText('lin@example.com', { selector: 'p' })).toBeVisible()
    expect(screen.getByText('Verified')).toBeVisible()
    const links = within(screen.getByRole('navigation', { name: 'My account' }))
    expect(links.getByRole('link', { name: /^Security/ })).toHaveAttribute(
      'href',
      '/user/account/security',
    )
    expect(links.getAllByRole('link')).toHaveLength(8)
  })
})

describe('another password', () => {
  it('is sent, and its tokens taken', async () => {
    let sent: unknown
    const fresh = accessToken({}, 800)
    server.use(
      http.post(`${api}/change-password`, async ({ request }) => {
        sent = await request.json()
        return success({ access_token: fresh, refresh_token: refreshToken(7, 2), user_id: 7 })
      }),
    )
    const { user } = await openSignedIn('/user/account/edit-password')
    await user.type(await screen.findByLabelText('Current password'), 'correct horse')
    await user.click(screen.getByLabelText('New password'))
    await user.paste('7f!Qz#pL2w@x9T')
    expect(screen.getByText('Strong')).toBeVisible()
    await user.keyboard('{Enter}')
    expect(await screen.findByText(/other devices are signed out/)).toBeVisible()
    expect(sent).toEqual({ current_password: 'correct horse', new_password: '7f!Qz#pL2w@x9T' })
    expect(session.accessToken()).toBe(fresh)
    expect(screen.getByLabelText('New password')).toHaveValue('')
  })

  it('whose answer was lost is named where its session ends, until somebody signs in', async () => {
    const refuse = () => failure(401, { message: 'Sign in', code: 'unauthorized' })
    const tokens = { access_token: accessToken({}, 800), refresh_token: refreshToken(7, 2) }
    server.use(
      http.post(`${api}/change-password`, () => HttpResponse.error(), { once: true }),
      http.post(`${api}/change-password`, refuse),
      http.post('*/api/v2/auth/jwt_token/jwt_access_refresh', refuse),
      http.post('*/api/v2/auth/account_login/login', () => success(tokens)),
    )
    const { user, router } = await openSignedIn('/user/account/edit-password')
    await user.type(await screen.findByLabelText('Current password'), 'correct horse')
    await user.type(screen.getByLabelText('New password'), '7f!Qz#pL2w@x9T{Enter}')
    await user.click(await screen.findByRole('button', { name: 'Change password' }))
    expect(await screen.findByText(/password change was lost/)).toBeVisible()

    await user.type(screen.getByLabelText('Email'), 'lin@example.com')
    await user.type(screen.getByLabelText('Password'), '7f!Qz#pL2w@x9T{Enter}')
    await screen.findByRole('heading', { name: 'Change password' })
    session.signOut()
    await waitFor(() => expect(router.state.location.pathname).toBe('/auth/sign-in'))
    expect(await screen.findByText('Sign in to go on.')).toBeVisible()
  })

  it('stays away where the present one is wrong', async () => {
    const problem = { field: 'current_password', code: 'wrong_password', message: 'It is wrong' }
    server.use(
      http.post(`${api}/change-password`, () =>
        failure(422, { message: 'Wrong', code: 'invalid_input', errors: [problem] }),
      ),
    )
    const { user } = await openSignedIn('/user/account/edit-password')
    await user.type(await screen.findByLabelText('Current password'), 'wrong')
    await user.type(screen.getByLabelText('New password'), 'short{Enter}')
    expect(await screen.findByText('Use at least 8 characters')).toBeVisible()
    await user.type(screen.getByLabelText('New password'), ' no more{Enter}')
    expect(await screen.findByText('It is wrong')).toBeVisible()
    expect(screen.getByLabelText('Current password')).toHaveFocus()
  })
})

describe('the profile', () => {
  it('keeps another name, and gets a token with it', async () => {
    let sent: unknown
    server.use(
      http.post(`${api}/edit-profile`, async ({ request }) => {
        sent = await request.json()
        return success({})
      }),
      http.post('*/api/v2/auth/jwt_token/jwt_access_refresh', () =>
        success({
          access_token: accessToken({
            subject_access: { ...me, user_name: 'Lin', user_new_id: uuid },
          }),
          refresh_token: refreshToken(7, 2),
        }),
      ),
    )
    const { user } = await openSignedIn('/user/account/edit-profile')
    const name = await screen.findByLabelText('Name')
    expect(name).toHaveValue('Lin Xiao')
    expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled()
    await user.clear(name)
    await user.type(name, 'Lin{Enter}')
    expect(await screen.findByText('Saved.')).toBeVisible()
    expect(sent).toEqual({ user_name: 'Lin' })
    await waitFor(() => expect(session.state).toMatchObject({ user: { user_name: 'Lin' } }))
  })
})

it('says of a change without an answer that it may have been made', async () => {
  server.use(http.post(`${api}/edit-profile`, () => HttpResponse.error()))
  const { user } = await openSignedIn('/user/account/edit-profile')
  const name = await screen.findByLabelText('Name')
  await user.clear(name)
  await user.type(name, 'Lin{Enter}')
  expect(await screen.findByText(/may have been done. Look before/)).toBeVisible()
})

describe('the sign-in log', () => {
  it('shows good sign-ins and refused tries with their area', async () => {
    server.use(
      http.get(`${api}/login-ip-log`, () =>
        success([
          signIn(),
          signIn({ is_login: false, wrong: 'two_factor', area: 'ZZ', login_ip: '10.0.0.1' }),
        ]),
      ),
    )
    await openSignedIn('/user/account/login-ip-log')
    const rows = within(await screen.findByRole('table', { name: 'Sign-in log' }))
    expect(rows.getByText('Japan · 192.0.2.1')).toBeVisible()
    expect(rows.getByText('Wrong two-step code')).toBeVisible()
    expect(rows.getByText('10.0.0.1')).toBeVisible()
  })

  it('says that there is nothing, and what failed', async () => {
    server.use(
      http.get(`${api}/login-ip-log`, () => failure(409, { message: 'Not now', code: 'busy' }), {
        once: true,
      }),
      http.get(`${api}/login-ip-log`, () => success([])),
    )
    const { user } = await openSignedIn('/user/account/login-ip-log')
    expect(await screen.findByText('Not now')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('No sign-ins yet.')).toBeVisible()
  })
})

describe('the activity', () => {
  it('comes in pages that stand in the address', async () => {
    const asked: (string | null)[] = []
    server.use(
      http.get(`${api}/activity`, ({ request }) => {
        asked.push(new URL(request.url).searchParams.get('page'))
        return success({
          total_count: 25,
          activities: [deed(1), deed(2, { ip_address: '', browser: '', system: '' })],
        })
      }),
    )
    const { user, router } = await openSignedIn('/user/account/activity')
    expect(await screen.findByText('By the operator')).toBeVisible()
    expect(screen.getByText('Page 1 of 2')).toBeVisible()
    await user.click(screen.getByRole('link', { name: 'Older' }))
    expect(await screen.findByText('Page 2 of 2')).toBeVisible()
    expect(router.state.location.search).toEqual({ page: 2 })
    expect(asked).toEqual(['1', '2'])
  })

  it('says that there is nothing', async () => {
    server.use(http.get(`${api}/activity`, () => success({ total_count: 0, activities: [] })))
    await openSignedIn('/user/account/activity')
    expect(await screen.findByText('Nothing yet.')).toBeVisible()
  })
})

describe('preferences', () => {
  it('switch language and appearance at once', async () => {
    const { user } = await openSignedIn('/settings')
    await user.click(await screen.findByRole('radio', { name: 'Dark' }))
    expect(document.documentElement).toHaveAttribute('data-mantine-color-scheme', 'dark')
    await user.click(screen.getByRole('radio', { name: '简体中文' }))
    expect(await screen.findByRole('heading', { name: '偏好设置' })).toBeVisible()
  })
})
