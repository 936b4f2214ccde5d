import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, expect, it } from 'vitest'
import { inDays, recharge, wallet } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const movementsPath = '*/api/v2/user/wallet/movements'

const movement = (id: number, amount: string) => ({
  id,
  created_at: inDays(-id),
  reason: 'purchase',
  text: `Purchase ${id}`,
  amount,
  balance_after: '128.50',
  reference: { kind: 'order', no: id },
})

beforeEach(() =>
  server.use(
    http.get('*/api/v2/user/wallet', () => success(wallet())),
    http.get(movementsPath, ({ request }) => {
      const page = Number(new URL(request.url).searchParams.get('page'))
      const movements =
        page === 1 ? [movement(1, '-30.00'), movement(2, '50.00')] : [movement(16, '5.00')]
      return success({ movements, total_count: 16, page, size: 15 })
    }),
    http.get('*/api/v2/user/wallet/recharge', () =>
      success({
        created_at: inDays(-90),
        total_count: 2,
        recharge_records: [recharge(), recharge({ id: 'b', no: 30, state: 'paid' })],
      }),
    ),
  ),
)

it('shows the balance and every movement with the balance after it', async () => {
  await openSignedIn('/user/wallet')
  expect(await screen.findByRole('region', { name: 'Available balance' })).toHaveTextContent(
    '128.50',
  )
  const row = within((await screen.findByText('Purchase 1')).closest('tr') ?? document.body)
  expect(row.getByText('-¥30.00')).toBeVisible()
  expect(row.getByText('¥128.50')).toBeVisible()
  expect(screen.getByText('+¥50.00')).toBeVisible()
})

it('shows what is held and earned, where there is any', async () => {
  server.use(
    http.get('*/api/v2/user/wallet', () =>
      success(wallet({ held: '8.50', available: '120.00', invite_balance: '3.00' })),
    ),
  )
  await openSignedIn('/user/wallet')
  const card = await screen.findByRole('region', { name: 'Available balance' })
  expect(card).toHaveTextContent('120.00')
  expect(card).toHaveTextContent('Held by open orders¥8.50')
  expect(card).toHaveTextContent('Invite commission¥3.00')
})

it('turns pages in the address', async () => {
  const { router, user } = await openSignedIn('/user/wallet')
  expect(await screen.findByText('Page 1 of 2')).toBeVisible()
  await user.click(screen.getByRole('link', { name: 'Older' }))
  expect(await screen.findByText('Purchase 16')).toBeVisible()
  expect(router.state.location.search).toMatchObject({ page: 2 })
})

it('lists recharges, and leads back to those that wait', async () => {
  const { router, user } = await openSignedIn('/user/wallet')
  await user.click(await screen.findByRole('tab', { name: 'Top-ups' }))
  expect(await screen.findByText('Waiting for payment')).toBeVisible()
  expect(screen.getByText('Paid')).toBeVisible()
  expect(screen.getByRole('link', { name: 'Pay now' })).toHaveAttribute(
    'href',
    expect.stringContaining('id=31'),
  )
  await waitFor(() => expect(router.state.location.search).toMatchObject({ tab: 'recharges' }))
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
  expect(await screen.findByText('Purchase 1')).toBeVisible()
})
