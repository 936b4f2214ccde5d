import { screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import type { SecurityResult, SessionResult } from '@/lib/api/gen/types.gen'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const api = '*/api/v2/user/account'
const at = '2026-11-20T08:00:00Z'

const security = (change: Partial<SecurityResult> = {}): SecurityResult => ({
  ga_enable: false,
  email_notification: true,
  ga_enabled_at: null,
  recovery_codes_left: 0,
  password_changed_at: at,
  ...change,
})

const sessionOf = (session_id: string, change: Partial<SessionResult> = {}): SessionResult => ({
  session_id,
  is_current: false,
  is_by_staff: false,
  is_remembered: true,
  created_at: at,
  seen_at: at,
  ip_address: '192.0.2.1',
  area: 'JP',
  browser: 'Firefox 144',
  system: 'Linux',
  device_kind: 'computer',
  ...change,
})

let here: SecurityResult
let sessions: SessionResult[]

beforeEach(() => {
  here = security()
  sessions = [sessionOf('1', { is_current: true }), sessionOf('2', { browser: 'Safari 19' })]
  server.use(
    http.get(`${api}/security`, () => success(here)),
    http.get(`${api}/sessions`, () => success(sessions)),
    http.get(`${api}/me`, () => success({ telegram_linked: false })),
  )
})

const dialog = async () => within(await screen.findByRole('dialog'))

/** Closes the dialog of recovery codes in the only way that there is. */
async function closeByConfirming(user: UserEvent) {
  const codes = await dialog()
  await user.keyboard('{Escape}')
  const overlay = document.querySelector('.mantine-Modal-overlay')
  const inner = document.querySelector('.mantine-Modal-inner')
  for (const outside of [overlay, inner]) if (outside) await user.click(outside)
  expect(codes.queryByRole('button', { name: 'Close' })).toBeNull()
  const done = codes.getByRole('button', { name: 'Done' })
  expect(done).toBeDisabled()
  await user.click(codes.getByRole('checkbox', { name: /I have saved these codes/ }))
  await user.click(done)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
}

describe('two-step sign-in', () => {
  it('is turned on with password and first code, and shows its recovery codes once', async () => {
    const sent: unknown[] = []
    server.use(
      http.post(`${api}/two-factor/begin`, async ({ request }) => {
        sent.push(await request.json())
        return success({ secret: 'JBSWY3DPEHPK3PXP', uri: 'otpauth://totp/a:b?secret=JBSW' })
      }),
      http.post(`${api}/security`, async ({ request }) => {
        sent.push(await request.json())
        here = security({ ga_enable: true, recovery_codes_left: 10 })
        return success({ recovery_codes: ['AAAAA-BBBBB', 'CCCCC-DDDDD'] })
      }),
    )
    const { user } = await openSignedIn('/user/account/security')
    await user.click(await screen.findByRole('button', { name: 'Turn on' }))
    await user.type((await dialog()).getByLabelText('Password'), 'correct horse{Enter}')
    expect(await screen.findByText('JBSW Y3DP EHPK 3PXP')).toBeInTheDocument()
    await user.type((await dialog()).getByLabelText('Code'), '123456{Enter}')
    expect(await screen.findByText('CCCCC-DDDDD')).toBeInTheDocument()
    expect(sent).toEqual([{ password: 'correct horse' }, { ga_enable: true, ga_token: '123456' }])
    await closeByConfirming(user)
    expect(await screen.findByText(/10 recovery codes left/)).toBeVisible()
  })

  it('is turned off with password and code only', async () => {
    here = security({ ga_enable: true, recovery_codes_left: 1 })
    const problem = { field: 'ga_token', code: 'two_fa_wrong', message: 'Wait for the next one' }
    const sent: unknown[] = []
    server.use(
      http.post(
        `${api}/security`,
        () => failure(422, { message: 'Wrong', code: 'invalid_input', errors: [problem] }),
        { once: true },
      ),
      http.post(`${api}/security`, async ({ request }) => {
        sent.push(await request.json())
        here = security()
        return success({ recovery_codes: [] })
      }),
    )
    const { user } = await openSignedIn('/user/account/security')
    expect(await screen.findByText(/1 recovery code left/)).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Turn off' }))
    await user.type((await dialog()).getByLabelText('Password'), 'correct horse')
    await user.type((await dialog()).getByLabelText('Code'), '111111')
    expect(await screen.findByText('Wait for the next one')).toBeInTheDocument()
    await user.type((await dialog()).getByLabelText('Code'), '{Enter}')
    expect(await screen.findByRole('button', { name: 'Turn on' })).toBeVisible()
    expect(sent).toEqual([{ password: 'correct horse', ga_token: '111111', ga_enable: false }])
  })

  it('gets new recovery codes', async () => {
    here = security({ ga_enable: true, recovery_codes_left: 2 })
    server.use(
      http.post(`${api}/two-factor/recovery-codes`, () =>
        success({ recovery_codes: ['EEEEE-FFFFF'] }),
      ),
    )
    const { user } = await openSignedIn('/user/account/security')
    await user.click(await screen.findByRole('button', { name: 'New recovery codes' }))
    await user.type((await dialog()).getByLabelText('Password'), 'correct horse')
    await user.type((await dialog()).getByLabelText('Code'), '111111{Enter}')
    expect(await screen.findByText('EEEEE-FFFFF')).toBeInTheDocument()
    await closeByConfirming(user)
  })
})

describe('notices of new places', () => {
  it('are switched off, and back where that failed', async () => {
    let sent: unknown
    server.use(
      http.post(`${api}/security`, () => failure(409, { message: 'Not now', code: 'busy' }), {
        once: true,
      }),
      http.post(`${api}/security`, async ({ request }) => {
        sent = await request.json()
        here = security({ email_notification: false })
        return success({ recovery_codes: [] })
      }),
    )
    const { user } = await openSignedIn('/user/account/security')
    const notices = await screen.findByRole('switch', { name: 'Notice of new places' })
    await user.click(notices)
    expect(await screen.findByText('Not now')).toBeVisible()
    expect(notices).toBeChecked()
    await user.click(notices)
    await waitFor(() => expect(notices).not.toBeChecked())
    expect(sent).toEqual({ email_notification: false })
  })
})

describe('signed-in devices', () => {
  it('are listed, this one marked, and signed out one by one', async () => {
    server.use(
      http.delete(`${api}/sessions/2`, () => {
        sessions = sessions.slice(0, 1)
        return success({})
      }),
    )
    const { user } = await openSignedIn('/user/account/security')
    const items = (await screen.findByText('This device')).closest('ul')
    expect(items?.querySelectorAll('li')).toHaveLength(2)
    expect(screen.getAllByText('Japan · 192.0.2.1')).toHaveLength(2)
    await user.click(screen.getByRole('button', { name: 'Sign out Safari 19 · Linux' }))
    await user.click((await dialog()).getByRole('button', { name: 'Sign out' }))
    await waitFor(() => expect(screen.queryByText('Safari 19 · Linux')).not.toBeInTheDocument())
    expect(screen.queryByRole('button', { name: 'Sign out all others' })).not.toBeInTheDocument()
  })

  it('are all signed out but this one', async () => {
    let calls = 0
    server.use(
      http.post(`${api}/sessions/end-others`, () => {
        calls += 1
        sessions = sessions.slice(0, 1)
        return success({})
      }),
    )
    const { user } = await openSignedIn('/user/account/security')
    await user.click(await screen.findByRole('button', { name: 'Sign out all others' }))
    await user.click((await dialog()).getByRole('button', { name: 'Sign out' }))
    await waitFor(() => expect(screen.queryByText('Safari 19 · Linux')).not.toBeInTheDocument())
    expect(calls).toBe(1)
  })
})
