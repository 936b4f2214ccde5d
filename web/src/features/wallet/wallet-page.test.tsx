import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, expect, it } from 'vitest'
import { session } from '@/lib/session/current-session'
import { inDays, wallet } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { accessToken, refreshToken, someone } from '@/test/tokens'

const movementsPath = '*/api/v2/user/wallet/movements'

const movement = (id: number, amount: string) => ({
  id,
  created_at: inDays(-id),
  reason: 'purchase',
  text: `Bought: plan ${id}`,
  note: `Plan ${id}`,
  amount,
  balance_after: '128.50',
  reference: { kind: 'order', no: id },
})

beforeEach(() => sessionStorage.clear())

beforeEach(() =>
  server.use(
    http.get('*/api/v2/user/wallet', () => success(wallet())),
    http.get(movementsPath, ({ request }) => {
      const page = Number(new URL(request.url).searchParams.get('page'))
      const movements =
        page === 1 ? [movement(1, '-30.00'), movement(2, '50.00')] : [movement(16, '5.00')]
      return success({ movements, total_count: 16, page, size: 15 })
    }),
  ),
)

it('shows the balance and every movement with the balance after it', async () => {
  await openSignedIn('/user/wallet')
  expect(await screen.findByRole('region', { name: 'Available balance' })).toHaveTextContent(
    '128.50',
  )
  const row = within((await screen.findByText('Purchase · Plan 1')).closest('tr') ?? document.body)
  expect(row.getByText('-¥30.00')).toBeVisible()
  expect(row.getByText('¥128.50')).toBeVisible()
  expect(screen.getByText('+¥50.00')).toBeVisible()
})

it('shows what is held, and why', async () => {
  server.use(
    http.get('*/api/v2/user/wallet', () => success(wallet({ held: '8.50', available: '120.00' }))),
  )
  await openSignedIn('/user/wallet')
  const card = await screen.findByRole('region', { name: 'Available balance' })
  expect(card).toHaveTextContent('120.00')
  expect(card).toHaveTextContent('Held by open orders¥8.50')
  expect(within(card).getByRole('link')).toHaveAttribute('href', '/user/wallet/recharge')
})

it('moves what inviting earned into the balance, once', async () => {
  const sent: { body: unknown; key: string | null }[] = []
  server.use(
    http.get('*/api/v2/user/wallet', () =>
      success(
        wallet({ invite_balance: sent.length === 0 ? '3.00' : '0.00', invite_pending: '2.00' }),
      ),
    ),
    http.post('*/api/v2/user/invite/withdraw', async ({ request }) => {
      sent.push({ body: await request.json(), key: request.headers.get('Idempotency-Key') })
      return success({})
    }),
  )
  const { user } = await openSignedIn('/user/wallet')
  const card = await screen.findByRole('region', { name: 'Invite commission' })
  expect(card).toHaveTextContent('Not released yet¥2.00')
  await user.click(screen.getByRole('button', { name: 'Move ¥3.00 to the balance' }))
  expect(await screen.findByText('It is in your balance.')).toBeVisible()
  await waitFor(() => expect(card).toHaveTextContent('0.00'))
  expect(sent).toEqual([{ body: { amount: '3.00' }, key: expect.stringMatching(/^[0-9a-f]{32}$/) }])
})

it('says why commission could not be moved', async () => {
  server.use(
    http.get('*/api/v2/user/wallet', () => success(wallet({ invite_balance: '3.00' }))),
    http.post('*/api/v2/user/invite/withdraw', () =>
      failure(409, { message: 'It was moved already', code: 'commission_too_low' }),
    ),
  )
  const { user } = await openSignedIn('/user/wallet')
  await user.click(await screen.findByRole('button', { name: /^Move/ }))
  expect(await screen.findByRole('alert')).toHaveTextContent('It was moved already')
})

it('sends a move again with its key, and with another key for another account', async () => {
  const keys: (string | null)[] = []
  server.use(
    http.get('*/api/v2/user/wallet', () => success(wallet({ invite_balance: '3.00' }))),
    http.post('*/api/v2/user/invite/withdraw', ({ request }) => {
      keys.push(request.headers.get('Idempotency-Key'))
      return HttpResponse.error()
    }),
  )
  const { user } = await openSignedIn('/user/wallet')
  const move = async (count: number) => {
    await user.click(await screen.findByRole('button', { name: /^Move/ }))
    await waitFor(() => expect(keys).toHaveLength(count))
    await screen.findByText(/safe to try again/)
  }
  await move(1)
  await move(2)
  session.signIn({
    access_token: accessToken({ subject_access: { ...someone, user_id: 8 } }),
    refresh_token: refreshToken(8),
  })
  await move(3)
  expect(keys[1]).toBe(keys[0])
  expect(keys[2]).not.toBe(keys[0])
})

it('filters the statement in the address', async () => {
  server.use(
    http.get(movementsPath, ({ request }) => {
      const reason = new URL(request.url).searchParams.get('reason')
      const movements = reason === null ? [movement(1, '-30.00')] : []
      return success({ movements, total_count: movements.length, page: 1, size: 15 })
    }),
  )
  const { router, user } = await openSignedIn('/user/wallet?page=2')
  expect(await screen.findByText('Purchase · Plan 1')).toBeVisible()
  await user.selectOptions(screen.getByRole('combobox', { name: 'Filter by kind' }), 'Refund')
  expect(await screen.findByText('No movements of this kind.')).toBeVisible()
  expect(router.state.location.search).toEqual({ reason: 'refund', page: 1 })
  await user.click(screen.getByRole('link', { name: 'Show all' }))
  expect(await screen.findByText('Purchase · Plan 1')).toBeVisible()
})

it('leads to the other pages of the wallet', async () => {
  await openSignedIn('/user/wallet')
  const more = within(await screen.findByRole('navigation', { name: 'More of the wallet' }))
  expect(more.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    '/user/wallet/recharge/cd-key',
    '/user/wallet/recharge',
    '/user/wallet/billing',
    '/user/wallet/purchase-records-old',
  ])
})

it('turns pages in the address', async () => {
  const { router, user } = await openSignedIn('/user/wallet')
  expect(await screen.findByText('Page 1 of 2')).toBeVisible()
  await user.click(screen.getByRole('link', { name: 'Older' }))
  expect(await screen.findByText('Purchase · Plan 16')).toBeVisible()
  expect(router.state.location.search).toMatchObject({ page: 2 })
})

it('leads to a first recharge where nothing has moved', async () => {
  server.use(
    http.get(movementsPath, () => success({ movements: [], total_count: 0, page: 1, size: 15 })),
  )
  await openSignedIn('/user/wallet')
  expect(await screen.findByText(/No movements yet/)).toBeVisible()
})

it('keeps the rest when one part could not be loaded', async () => {
  server.use(
    http.get(movementsPath, () => failure(409, { message: 'Not now', code: 'busy' }), {
      once: true,
    }),
  )
  const { user } = await openSignedIn('/user/wallet')
  expect(await screen.findByText('Not now')).toBeVisible()
  expect(screen.getByText('req-1')).toBeVisible()
  expect(await screen.findByRole('region', { name: 'Available balance' })).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('Purchase · Plan 1')).toBeVisible()
})
