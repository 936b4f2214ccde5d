import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { failure, server, site, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const api = '*/api/v2/user/account'
const at = '2026-11-20T08:00:00Z'

let isLinked: boolean

const link = () => ({
  is_linked: isLinked,
  telegram_id: isLinked ? 42 : null,
  bot_name: 'airstrip_bot',
})

const way = {
  bot_name: 'airstrip_bot',
  link: 'https://t.me/airstrip_bot?start=lcode',
  token: 'header.payload.signature',
  expires_at: at,
}

const wrongPassword = {
  message: 'Wrong',
  code: 'invalid_input',
  errors: [{ field: 'password', code: 'wrong_credentials', message: 'The password is wrong' }],
}

beforeEach(() => {
  isLinked = false
  server.use(
    http.get('*/api/v2/site', () => success({ ...site, telegram: 'airstrip_bot' })),
    http.get(`${api}/security`, () =>
      success({ ga_enable: false, email_notification: true, password_changed_at: at }),
    ),
    http.get(`${api}/sessions`, () => success([])),
    http.get(`${api}/me`, () =>
      success({ user_name: 'Lin', email: 'lin@example.com', telegram_linked: isLinked }),
    ),
    http.get(`${api}/link/telegram`, () => success(link())),
    http.post(`${api}/link/telegram`, async ({ request }) => {
      const { password } = (await request.json()) as { password: string }
      return password === 'my password' ? success(way) : failure(422, wrongPassword)
    }),
  )
})

const dialog = async () => within(await screen.findByRole('dialog'))

describe('the Telegram account', () => {
  it('is linked after the password, by the code that the dialog shows, which sees when it is done', async () => {
    const { user } = await openSignedIn('/user/account/security')
    expect(await screen.findByText('Not linked')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Link' }))
    const shown = await dialog()
    await user.type(await shown.findByLabelText('Password'), 'no')
    await user.click(shown.getByRole('button', { name: 'Next' }))
    expect(await shown.findByText('The password is wrong')).toBeVisible()
    expect(shown.queryByRole('img', { name: /@airstrip_bot/ })).toBeNull()
    await user.clear(shown.getByLabelText('Password'))
    await user.type(shown.getByLabelText('Password'), 'my password')
    await user.click(shown.getByRole('button', { name: 'Next' }))
    expect(await shown.findByRole('img', { name: /@airstrip_bot/ })).toBeVisible()
    expect(shown.getByRole('link', { name: 'Open Telegram' })).toHaveAttribute('href', way.link)
    expect(shown.getByText('/link header.payload.signature')).toBeVisible()
    isLinked = true
    expect(await shown.findByText('Telegram is linked.')).toBeVisible()
    await user.click(shown.getByRole('button', { name: 'Done' }))
    expect(await screen.findByText('Linked')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Unlink' })).toBeVisible()
  })

  it('is unlinked after a question', async () => {
    isLinked = true
    server.use(
      http.delete(`${api}/link/telegram`, () => {
        isLinked = false
        return success({})
      }),
    )
    const { user } = await openSignedIn('/user/account/security')
    await user.click(await screen.findByRole('button', { name: 'Unlink' }))
    await user.click((await dialog()).getByRole('button', { name: 'Unlink' }))
    expect(await screen.findByText('Not linked')).toBeVisible()
  })

  it('stays where unlinking fails, and says why', async () => {
    isLinked = true
    server.use(
      http.delete(`${api}/link/telegram`, () =>
        failure(503, { message: 'The server is busy', code: 'database_busy' }),
      ),
    )
    const { user } = await openSignedIn('/user/account/security')
    await user.click(await screen.findByRole('button', { name: 'Unlink' }))
    const asked = await dialog()
    await user.click(asked.getByRole('button', { name: 'Unlink' }))
    expect(await asked.findByText('The server is busy')).toBeVisible()
  })

  it('is not spoken of where the site has no bot', async () => {
    server.use(http.get('*/api/v2/site', () => success(site)))
    await openSignedIn('/user/account/security')
    expect(await screen.findByText('Two-step sign-in')).toBeVisible()
    expect(screen.queryByText('Telegram')).toBeNull()
  })
})
