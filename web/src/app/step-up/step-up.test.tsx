import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { expect, it, onTestFinished, vi } from 'vitest'
import { accountPasskeyRemove } from '@/lib/api/gen/sdk.gen'
import { staffNodeRemove } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffShareAccount } from '@/lib/api/gen/staff/types.gen'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const RIGHT = 'a long enough password'

const films: StaffShareAccount = {
  id: 3,
  name: 'Films',
  is_enabled: true,
  has_totp: false,
  secret_version: 1,
  users: 0,
  rotated_at: '2026-11-20T00:00:00Z',
  created_at: '2026-11-20T00:00:00Z',
  updated_at: '2026-11-20T00:00:00Z',
  version: '1',
}

/** A server that asks for the password once, and how often the dangerous call came. */
function askingServer() {
  let isProved = false
  const calls: string[] = []
  server.use(
    ...asStaff('ticket.read'),
    http.get('*/api/v2/staff/tickets', () => success({ tickets: [], total_count: 0 })),
    http.delete('*/api/v2/staff/nodes/7', ({ request }) => {
      calls.push(request.headers.get('Idempotency-Key') ?? '')
      return isProved
        ? success({})
        : failure(403, { code: 'step_up_required', message: 'Show who you are' })
    }),
    http.get('*/api/v2/user/account/step-up', () =>
      success({ password: true, passkey: false, email_code: false, two_factor: true }),
    ),
    http.post('*/api/v2/user/account/step-up', async ({ request }) => {
      const { password, code } = (await request.json()) as { password: string; code?: string }
      const wrong = (field: string) =>
        failure(422, {
          code: 'invalid_input',
          message: 'Invalid',
          errors: [{ field, code: 'wrong', message: `${field} is wrong` }],
        })
      if (password !== RIGHT) return wrong('password')
      if (code !== '123456') return wrong('code')
      isProved = true
      return success({})
    }),
  )
  return calls
}

const dangerous = () =>
  staffNodeRemove({ path: { node_id: 7 }, headers: { 'Idempotency-Key': 'k' }, throwOnError: true })

it('asks for password and code where the server wants them, and repeats the call with the same key', async () => {
  const calls = askingServer()
  const { user } = await openSignedIn('/admin/tickets')
  await screen.findByRole('main')
  const answer = dangerous()
  const password = await screen.findByLabelText('Your password')
  await user.type(password, 'wrong')
  await user.click(screen.getByRole('button', { name: 'Continue' }))
  await screen.findByText('password is wrong')
  await user.clear(password)
  await user.type(password, RIGHT)
  await user.click(screen.getByRole('button', { name: 'Continue' }))
  await user.type(await screen.findByLabelText(/^Code of your app/), '123456')
  await user.click(screen.getByRole('button', { name: 'Continue' }))
  expect((await answer).response.ok).toBe(true)
  expect(calls).toEqual(['k', 'k'])
  await waitFor(() => expect(screen.queryByLabelText('Your password')).toBeNull())
})

it('does nothing where the member cancels', async () => {
  const calls = askingServer()
  const { user } = await openSignedIn('/admin/tickets')
  await screen.findByRole('main')
  const answer = dangerous().catch((error: unknown) => error)
  await user.type(await screen.findByLabelText('Your password'), '{Escape}')
  expect(await answer).toMatchObject({ code: 'step_up_required' })
  expect(calls).toHaveLength(1)
})

/** A page of the console, also in the address bar, which the router of tests leaves alone. The list of payouts is guarded. */
async function openBeforePayouts(path: string) {
  askingServer()
  let asked = 0
  let isProved = false
  server.use(
    ...asStaff('ticket.read', 'money.commission.pay'),
    http.get('*/api/v2/staff/commission-payouts/assignees', () => success([])),
    http.get('*/api/v2/staff/commission-payouts', () => {
      asked += 1
      return isProved
        ? success({ payouts: [], total_count: 0 })
        : failure(403, { code: 'step_up_required', message: 'Show who you are' })
    }),
  )
  window.history.replaceState(null, '', path)
  onTestFinished(() => window.history.replaceState(null, '', '/'))
  const opened = await openSignedIn(path)
  const prove = async () => {
    await opened.user.type(await screen.findByLabelText('Your password'), RIGHT)
    await opened.user.type(await screen.findByLabelText(/^Code of your app/), '123456')
    isProved = true
    await opened.user.click(screen.getByRole('button', { name: 'Continue' }))
  }
  return { ...opened, prove, asked: () => asked }
}

it('asks before what a page shows is loaded, which begins before the page is drawn', async () => {
  const { prove } = await openBeforePayouts('/admin/payouts')
  await prove()
  expect(await screen.findByText('There are no payouts.')).toBeVisible()
  expect(screen.queryByText('This could not be loaded')).toBeNull()
})

it('asks for nothing where a link is only pointed at, and asks when its page is opened', async () => {
  const { user, router, prove, asked } = await openBeforePayouts('/admin/tickets')
  const link = await screen.findByRole('link', { name: 'Payouts' })
  await router.preloadRoute({ to: '/admin/payouts' })
  expect(asked()).toBeGreaterThan(0)
  expect(screen.queryByLabelText('Your password')).toBeNull()

  window.history.replaceState(null, '', '/admin/payouts')
  await user.click(link)
  await prove()
  expect(await screen.findByText('There are no payouts.')).toBeVisible()
})

it('is closed by Escape alone, and the dialog below keeps what was typed', async () => {
  askingServer()
  server.use(
    ...asStaff('shareaccount.read', 'shareaccount.write'),
    http.get('*/api/v2/staff/share-accounts', () => success([films])),
    http.delete('*/api/v2/staff/share-accounts/3', () =>
      failure(403, { code: 'step_up_required', message: 'Show who you are' }),
    ),
  )
  const { user } = await openSignedIn('/admin/share-accounts')
  await user.click(await screen.findByRole('button', { name: 'Actions for Films' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Remove', hidden: true }))
  await user.click(await screen.findByRole('button', { name: 'Remove' }))
  await user.type(await screen.findByLabelText('Your password'), '{Escape}')
  await waitFor(() => expect(screen.queryByLabelText('Your password')).toBeNull())
  expect(screen.getByRole('dialog', { name: 'Remove' })).toBeVisible()
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

it('asks a user who has nothing else for a code by mail, on a page of their own', async () => {
  const proved = vi.fn<(body: unknown) => void>()
  server.use(
    http.get('*/api/v2/user/account/step-up', () =>
      success({ password: false, passkey: false, email_code: true, two_factor: false }),
    ),
    http.post('*/api/v2/user/account/step-up/request-email-code', () => success({})),
    http.post('*/api/v2/user/account/step-up', async ({ request }) => {
      proved(await request.json())
      return success({})
    }),
    http.delete('*/api/v2/user/account/passkeys/7', () =>
      proved.mock.calls.length > 0
        ? success({})
        : failure(403, { code: 'step_up_required', message: 'Show who you are' }),
    ),
  )
  const { user } = await openSignedIn('/user/account/security')
  await screen.findByRole('main')
  const answer = accountPasskeyRemove({ path: { passkey_id: 7 }, throwOnError: true })
  await user.click(await screen.findByRole('button', { name: 'Send the code' }))
  expect(screen.queryByLabelText('Your password')).toBeNull()
  await user.type(await screen.findByLabelText('Code from the mail'), '012345')
  await user.click(screen.getByRole('button', { name: 'Continue' }))
  expect((await answer).response.ok).toBe(true)
  expect(proved).toHaveBeenCalledWith({ email_code: '012345' })
})
