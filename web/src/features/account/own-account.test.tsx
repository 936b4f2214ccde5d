import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { session } from '@/lib/session/current-session'
import { failure, server, site, success } from '@/test/msw/server'
import { openApp, openSignedIn } from '@/test/render'
import { accessToken, refreshToken } from '@/test/tokens'

const api = '*/api/v2/user/account'
const at = '2026-11-20T08:00:00Z'
const invalid = (field: string, message: string) =>
  failure(422, { message: 'Wrong', code: 'invalid_input', errors: [{ field, code: 'x', message }] })

describe('another email', () => {
  const me = { user_id: 7, email: 'lin@example.com', user_name: 'Lin', created_at: at }

  it('is proven by a code from each address, and problems stand at their fields', async () => {
    const sent: unknown[] = []
    server.use(
      http.get(`${api}/me`, () => success(me)),
      http.post(
        `${api}/edit-email/request-email-code`,
        () => invalid('current_password', 'It is wrong'),
        { once: true },
      ),
      http.post(`${api}/edit-email/request-email-code`, async ({ request }) => {
        sent.push(await request.json())
        return success({})
      }),
      http.post(`${api}/edit-email`, () => invalid('current_email_code', 'Use the newest'), {
        once: true,
      }),
      http.post(`${api}/edit-email`, async ({ request }) => {
        sent.push(await request.json())
        return success({})
      }),
      http.post('*/api/v2/auth/jwt_token/jwt_access_refresh', () =>
        success({ access_token: accessToken(), refresh_token: refreshToken(7, 2) }),
      ),
    )
    const { user } = await openSignedIn('/user/account/edit-email')
    await user.type(await screen.findByLabelText('New email'), 'new{Enter}')
    expect(await screen.findByText(/That email is incomplete/)).toBeVisible()
    await user.type(screen.getByLabelText('New email'), '@example.com')
    await user.type(screen.getByLabelText('Current password'), 'correct horse{Enter}')
    expect(await screen.findByText('It is wrong')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Send the codes' }))
    await user.type(await screen.findByLabelText('Code sent to lin@example.com'), '111111')
    await user.type(screen.getByLabelText('Code sent to new@example.com'), '222222')
    expect(await screen.findByText('Use the newest')).toBeVisible()
    expect(screen.getByLabelText('Code sent to lin@example.com')).toHaveFocus()
    await user.click(screen.getByRole('button', { name: 'Change email' }))
    expect(await screen.findByText(/Your email is changed/)).toBeVisible()
    expect(sent).toEqual([
      { email: 'new@example.com', current_password: 'correct horse' },
      { email: 'new@example.com', email_code: '222222', current_email_code: '111111' },
    ])
  })
})

describe('closing the account', () => {
  it('wants the loss confirmed as it is now, and signs out', async () => {
    let forfeit = '12.30'
    const sent: unknown[] = []
    server.use(
      http.get(`${api}/close`, () =>
        success({ balance: forfeit, commission: '0.00', forfeit, services: 1, ga_enable: true }),
      ),
      http.post(
        `${api}/close`,
        () => {
          forfeit = '20.00'
          return invalid('forfeit', 'The balance is 20.00 now')
        },
        { once: true },
      ),
      http.post(`${api}/close`, async ({ request }) => {
        sent.push(await request.json())
        return success({})
      }),
    )
    const { user } = await openSignedIn('/user/account/close')
    expect(await screen.findByText(/1 running service/)).toBeVisible()
    await user.type(screen.getByLabelText(/^Type .* to confirm$/), 'lin@example.com')
    await user.type(screen.getByLabelText('Password'), 'correct horse')
    await user.type(screen.getByLabelText('Code'), '123456{Enter}')
    expect(await screen.findByText('Please confirm this')).toBeVisible()
    await user.click(screen.getByLabelText('I give this money up'))
    await user.click(screen.getByRole('button', { name: /for good/ }))
    expect(await screen.findByText('The balance is 20.00 now')).toBeVisible()
    expect(screen.getByLabelText('I give this money up')).not.toBeChecked()
    await user.click(screen.getByLabelText('I give this money up'))
    await user.click(screen.getByRole('button', { name: /for good/ }))
    expect(await screen.findByText(/^Your account is closed/)).toBeVisible()
    expect(session.state.status).toBe('unauthenticated')
    expect(sent).toEqual([
      { email: 'lin@example.com', password: 'correct horse', ga_token: '123456', forfeit: '20.00' },
    ])
  })
})

/** A browser with passkeys, which makes and gives out the same one, or refuses. */
class FakeCredential {
  static readonly parseCreationOptionsFromJSON = (options: unknown) => options
  static readonly parseRequestOptionsFromJSON = (options: unknown) => options
  static readonly isConditionalMediationAvailable = () => Promise.resolve(false)
  toJSON() {
    return { id: 'AA' }
  }
}

describe('passkeys', () => {
  const ask =
    vi.fn<
      (options: CredentialRequestOptions & { signal: AbortSignal }) => Promise<FakeCredential>
    >()

  beforeEach(() => {
    ask.mockReset()
    ask.mockResolvedValue(new FakeCredential())
    vi.stubGlobal('PublicKeyCredential', FakeCredential)
    vi.stubGlobal('navigator', navigator)
    Object.defineProperty(navigator, 'credentials', {
      value: { create: ask, get: ask },
      configurable: true,
    })
    server.use(http.get('*/api/v2/site', () => success({ ...site, passkeys: true })))
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
  })

  it('are added with a proof and removed', async () => {
    let list: unknown[] = []
    const key = { id: 3, name: 'Phone', is_shared: false, is_disabled: false, created_at: at }
    const sent: unknown[] = []
    server.use(
      http.get(`${api}/security`, () =>
        success({ ga_enable: false, email_notification: true, password_changed_at: at }),
      ),
      http.get(`${api}/sessions`, () => success([])),
      http.get(`${api}/me`, () => success({ telegram_linked: false })),
      http.get(`${api}/passkeys`, () => success(list)),
      http.post(`${api}/passkeys/begin`, async ({ request }) => {
        sent.push(await request.json())
        return success({ options: { challenge: 'x' } })
      }),
      http.post(`${api}/passkeys/finish`, async ({ request }) => {
        sent.push(await request.json())
        list = [{ ...key, last_used_at: null }]
        return success(list[0])
      }),
      http.delete(`${api}/passkeys/3`, () => {
        list = []
        return success({})
      }),
    )
    const { user } = await openSignedIn('/user/account/security')
    await user.click(await screen.findByRole('button', { name: 'Add a passkey' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Add a passkey' }))
    await user.type(dialog.getByLabelText('Name'), 'Phone')
    ask.mockRejectedValueOnce(new DOMException('', 'InvalidStateError'))
    await user.type(dialog.getByLabelText('Password'), 'correct horse{Enter}')
    expect(await screen.findByText(/has a passkey of your account already/)).toBeVisible()
    await user.click(dialog.getByRole('button', { name: 'Create the passkey' }))
    await user.click(await screen.findByRole('button', { name: 'Remove Phone' }))
    expect(sent.slice(1)).toEqual([
      { name: 'Phone', password: 'correct horse', ga_token: '' },
      { credential: { id: 'AA' } },
    ])
    await user.click(
      within(await screen.findByRole('dialog', { name: 'Remove Phone' })).getByRole('button', {
        name: 'Remove',
      }),
    )
    expect(await screen.findByText(/nothing that could be phished/)).toBeVisible()
  })

  it('are offered among what the browser fills in, but not while it asks for one', async () => {
    vi.spyOn(FakeCredential, 'isConditionalMediationAvailable').mockResolvedValue(true)
    const offers: AbortSignal[] = []
    const offering = () => offers.map((signal) => !signal.aborted)
    let cancel: (() => void) | undefined
    ask.mockImplementation(
      ({ mediation, signal }) =>
        new Promise((_, reject) => {
          if (mediation === 'conditional') offers.push(signal)
          else cancel = () => reject(new DOMException('', 'NotAllowedError'))
        }),
    )
    server.use(http.post('*/api/v2/auth/passkey/begin', () => success({ options: {} })))
    const { user } = await openApp('/auth/sign-in')
    await waitFor(() => expect(offering()).toEqual([true]))
    await user.click(await screen.findByRole('button', { name: 'Use a passkey' }))
    await waitFor(() => expect(cancel).toBeDefined())
    expect(offering()).toEqual([false])
    cancel?.()
    expect(await screen.findByText(/Nothing was chosen/)).toBeVisible()
    await waitFor(() => expect(offering()).toEqual([false, true]))
  })

  it('sign in, and say why they do not', async () => {
    server.use(
      http.post('*/api/v2/auth/passkey/begin', () => success({ options: {} })),
      http.post(
        '*/api/v2/auth/passkey/finish',
        () => failure(401, { message: 'It was removed', code: 'passkey_unknown' }),
        { once: true },
      ),
      http.post('*/api/v2/auth/passkey/finish', () =>
        success({ access_token: accessToken(), refresh_token: refreshToken(), user_id: 7 }),
      ),
    )
    const { user, router } = await openApp('/auth/sign-in?next=/settings')
    const button = await screen.findByRole('button', { name: 'Use a passkey' })
    ask.mockRejectedValueOnce(new DOMException('', 'NotAllowedError'))
    await user.click(button)
    expect(await screen.findByText(/Nothing was chosen/)).toBeVisible()
    await user.click(button)
    expect(await screen.findByText('It was removed')).toBeVisible()
    await user.click(button)
    await waitFor(() => expect(router.state.location.pathname).toBe('/settings'))
  })
})
