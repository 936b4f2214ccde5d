import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import type { InviteCodeItem, InviteResult } from '@/lib/api/gen/types.gen'
import { wallet } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const invite: InviteResult = {
  invite_code: 'ABCDEFGH23',
  invite_link: 'https://fast.example.com/auth/sign-up?invite_code=ABCDEFGH23',
  total_invites: 0,
  total_commission: '0.00',
  owed: '0.00',
  paying_out: '0.00',
  commission_rate: '0.10',
  commission_permille: 100,
  invited_users: [],
  released: '0.00',
  pending: '0.00',
  release_days: 7,
  first_order_only: false,
  invites_left: 3,
  invite_price: '1.50',
}

const code = (change: Partial<InviteCodeItem> & { code: string }): InviteCodeItem => ({
  link: `https://fast.example.com/auth/sign-up?invite_code=${change.code}`,
  label: '',
  is_given: false,
  is_disabled: false,
  sign_ups: 0,
  payers: 0,
  commission: '0.00',
  ...change,
})

let codes: InviteCodeItem[]

beforeEach(() => {
  codes = [
    code({ code: 'ABCDEFGH23', is_given: true, sign_ups: 12 }),
    code({ code: 'fast-lane', label: 'Forum', sign_ups: 7, payers: 4, commission: '8.40' }),
    code({ code: 'unused-1' }),
  ]
  server.use(
    http.get('*/api/v2/user/invite', () => success(invite)),
    http.get('*/api/v2/user/wallet', () => success(wallet())),
    http.get('*/api/v2/user/invite/payouts', () => success({ payouts: [], total_count: 0 })),
    http.get('*/api/v2/user/invite/codes', () => success({ codes, most_codes: 10, least_size: 4 })),
  )
})

const rowOf = async (text: string) => {
  const table = await screen.findByRole('table', { name: 'Invite codes' })
  const row = within(table)
    .getAllByRole('row')
    .find((found) => within(found).queryByText(text))
  if (!row) throw new Error(`no row ${text}`)
  return within(row)
}

describe('the invite codes', () => {
  it('show what each brought', async () => {
    await openSignedIn('/user/promote')
    const row = await rowOf('fast-lane')
    for (const text of ['Forum', '7', '4']) expect(row.getByText(text)).toBeVisible()
    expect(row.queryByRole('button', { name: 'Remove' })).toBeNull()
    expect((await rowOf('ABCDEFGH23')).getByText('Given by the site')).toBeVisible()
  })

  it('are disabled and removed', async () => {
    const calls: string[] = []
    server.use(
      http.patch('*/api/v2/user/invite/codes/:code', async ({ request, params }) => {
        calls.push(`${String(params['code'])} ${await request.text()}`)
        codes = codes.map((c) => (c.code === params['code'] ? { ...c, is_disabled: true } : c))
        return success({})
      }),
      http.delete('*/api/v2/user/invite/codes/:code', ({ params }) => {
        codes = codes.filter((c) => c.code !== params['code'])
        return success({})
      }),
    )
    const { user } = await openSignedIn('/user/promote')
    await user.click((await rowOf('fast-lane')).getByRole('button', { name: 'Disable' }))
    expect(await screen.findByText('Forum · disabled')).toBeVisible()
    expect(calls).toEqual(['fast-lane {"is_disabled":true}'])
    await user.click((await rowOf('unused-1')).getByRole('button', { name: 'Remove' }))
    const ask = await screen.findByRole('dialog', { name: 'Remove the code unused-1?' })
    expect(screen.getByText('unused-1')).toBeVisible()
    await user.click(within(ask).getByRole('button', { name: 'Remove' }))
    await expect.poll(() => screen.queryByText('unused-1')).toBeNull()
  })

  it('are made with a text of the own choice, and say what is wrong with it', async () => {
    const bodies: unknown[] = []
    server.use(
      http.post('*/api/v2/user/invite/codes', async ({ request }) => {
        const body = (await request.json()) as { code?: string }
        bodies.push(body)
        if (body.code === 'taken') {
          return failure(422, {
            message: 'x',
            code: 'invalid',
            errors: [{ field: 'code', code: 'taken', message: 'This code is taken' }],
          })
        }
        codes = [...codes, code({ code: body.code ?? '' })]
        return success(codes.at(-1))
      }),
    )
    const { user } = await openSignedIn('/user/promote')
    await user.click(await screen.findByRole('button', { name: 'New code' }))
    const input = await screen.findByRole('textbox', { name: 'New code' })
    await user.type(input, 'taken')
    await user.click(screen.getByRole('button', { name: 'Add code' }))
    expect(await screen.findByText('This code is taken')).toBeVisible()
    await user.clear(input)
    await user.type(input, 'mine-42')
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'Video')
    await user.click(screen.getByRole('button', { name: 'Add code' }))
    expect(await screen.findByText('mine-42')).toBeVisible()
    expect(bodies.at(-1)).toEqual({ code: 'mine-42', label: 'Video' })
  })

  it('are bought more people for', async () => {
    let body: unknown
    server.use(
      http.post('*/api/v2/user/invite/buy', async ({ request }) => {
        body = await request.json()
        return success({ left: 5 })
      }),
    )
    const { user } = await openSignedIn('/user/promote')
    const count = await screen.findByRole('spinbutton', { name: 'More invites' })
    await user.clear(count)
    await user.type(count, '2')
    await user.click(screen.getByRole('button', { name: /Buy for .*3\.00/ }))
    await expect.poll(() => body).toEqual({ count: 2 })
  })
})
