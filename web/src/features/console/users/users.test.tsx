import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { UserDetail } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'
import { staffUser as lin } from './staff-user.fixture'

const ban: UserDetail['bans'][number] = {
  id: 1,
  reason: 'Shared the link',
  remark: '',
  starts_at: inDays(-1),
  started_at: inDays(-1),
  ends_at: null,
  ended_at: null,
  ended_by: null,
  made_by: 1,
}

const sent = vi.fn<(method: string, body: unknown) => void>()
const ordersAsked = vi.fn<(search: string) => void>()
let present: UserDetail

beforeEach(() => {
  sent.mockClear()
  ordersAsked.mockClear()
  present = lin()
  const bans = '*/api/v2/staff/users/9/bans'
  server.use(
    ...asStaff('user.read', 'user.ban', 'order.read'),
    http.get('*/api/v2/staff/users/count', () => success({ rows: 1, approximate: false })),
    http.get('*/api/v2/staff/users', () => success({ rows: [present], next_cursor: '' })),
    http.get('*/api/v2/staff/users/9', () => success(present)),
    http.get('*/api/v2/staff/orders', ({ request }) => {
      ordersAsked(new URL(request.url).search)
      return success({ rows: [], next_cursor: '' })
    }),
    http.post(bans, async ({ request }) => {
      sent('POST', await request.json())
      present = lin({ state: 'banned', bans: [ban] })
      return success(ban)
    }),
    http.delete(bans, () => {
      sent('DELETE', undefined)
      present = lin({ bans: [{ ...ban, ended_at: inDays(0) }] })
      return success({ ended: 1 })
    }),
  )
})

type User = Awaited<ReturnType<typeof openSignedIn>>['user']

async function choose(user: User, action: string) {
  await user.click(await screen.findByRole('button', { name: 'Actions for lin@example.com' }))
  await user.click(await screen.findByRole('menuitem', { name: action, hidden: true }))
  return screen.findByRole('dialog', { name: action })
}

const region = (name: string) => screen.findByRole('region', { name })

describe('the page of a user', () => {
  it('is where the rows of the list lead, and shows what runs, the money and the facts', async () => {
    const { router, user } = await openSignedIn('/admin/users')
    await user.click(await screen.findByRole('link', { name: 'lin@example.com' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/users/9'))
    expect(await region('Services')).toHaveTextContent(/Standard\s*Runs.*unlimited · renews itself/)
    expect(await region('Wallet')).toHaveTextContent(/Available.*11\.00.*Held by orders.*1\.00/)
    const facts = await region('Facts')
    expect(facts).toHaveTextContent('reseller')
    expect(within(facts).getByRole('link', { name: 'wei@example.com' })).toBeVisible()
    expect(await region('Orders')).toHaveTextContent('There are no orders.')
    expect(ordersAsked.mock.calls[0]?.[0]).toContain('user=9')
    expect(screen.queryByRole('region', { name: 'Bans' })).toBeNull()
  })

  it('is drawn once the orders are there, so that nothing below them moves', async () => {
    let come: () => void = () => undefined
    const orders = new Promise<void>((resolve) => {
      come = resolve
    })
    server.use(
      http.get('*/api/v2/staff/orders', async () => {
        await orders
        return failure(500, { message: 'Broken', code: 'internal' })
      }),
    )
    await openSignedIn('/admin/users/9')
    await screen.findByRole('button', { name: 'Actions for lin@example.com' }, { timeout: 5_000 })
    expect(screen.queryByRole('region', { name: 'Wallet' })).toBeNull()
    come()
    expect(await region('Wallet')).toBeVisible()
    expect(await region('Orders')).toHaveTextContent('Broken')
  })

  it('bans with a reason, and ends the ban', async () => {
    const { user } = await openSignedIn('/admin/users/9')
    let dialog = await choose(user, 'Ban')
    await user.click(await within(dialog).findByRole('button', { name: 'Ban' }))
    expect(await within(dialog).findByText('This is needed.')).toBeVisible()
    expect(sent).not.toHaveBeenCalled()
    await user.type(within(dialog).getByRole('textbox', { name: /^Reason/ }), 'Shared the link')
    await user.click(within(dialog).getByRole('switch', { name: 'Tell the user by e-mail' }))
    await user.click(within(dialog).getByRole('button', { name: 'Ban' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('POST', { reason: 'Shared the link', mail: true }),
    )
    expect(await region('Bans')).toHaveTextContent(/Shared the link\s*In force/)

    dialog = await choose(user, 'End the ban')
    await user.click(await within(dialog).findByRole('button', { name: 'End the ban' }))
    await waitFor(() => expect(sent).toHaveBeenLastCalledWith('DELETE', undefined))
    await waitFor(async () => expect(await region('Bans')).toHaveTextContent(/Over/))
  })

  it('has neither actions nor orders for who may only read users', async () => {
    server.use(...asStaff('user.read'))
    await openSignedIn('/admin/users/9')
    await region('Services')
    expect(screen.queryByRole('button', { name: /^Actions for/ })).toBeNull()
    expect(screen.queryByRole('region', { name: 'Orders' })).toBeNull()
    expect(ordersAsked).not.toHaveBeenCalled()
  })

  it('is no page where there is no such user, and says so in the console', async () => {
    server.use(
      http.get('*/api/v2/staff/users/9', () =>
        failure(404, { message: 'There is no such user', code: 'not_found' }),
      ),
    )
    await openSignedIn('/admin/users/9')
    expect(await screen.findByRole('heading', { name: 'There is no such page' })).toBeVisible()
    expect(screen.getByRole('link', { name: 'Back to the console' })).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
    expect(screen.getAllByRole('main')).toHaveLength(1)
  })
})
