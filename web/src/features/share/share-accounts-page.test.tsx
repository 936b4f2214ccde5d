import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { describe, expect, it } from 'vitest'
import type { ShareAccount } from '@/lib/api/gen/types.gen'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const listPath = '*/api/v2/user/services/share-account'

const share = (change: Partial<ShareAccount> = {}): ShareAccount => ({
  account_id: 3,
  account_name: 'Films',
  note: 'One device at a time',
  url: 'https://films.example/login',
  server_address: 'films.example',
  port: 443,
  password: '',
  method: '',
  protocol: 'https',
  max_users: 4,
  current_users: 1,
  traffic_limit: 0,
  traffic_used: 0,
  status: 'available',
  expire_time: '2027-01-02T04:00:00Z',
  has_totp: true,
  rotated_at: '2026-11-02T04:00:00Z',
  seen_at: null,
  is_replaced: false,
  ...change,
})

const has = (...list: ShareAccount[]) =>
  server.use(
    http.get(listPath, () => success({ total_accounts: list.length, available_accounts: list })),
  )

describe('the share accounts', () => {
  it('show a password on demand, and hide it again', async () => {
    has(share())
    let shown = 0
    server.use(
      http.post('*/services/share-account/3/secret', () => {
        shown += 1
        return success({ login: 'family', password: 'swordfish', has_totp: true })
      }),
    )
    const { user } = await openSignedIn('/user/share-accounts')
    const card = await screen.findByRole('article', { name: 'Films' })
    expect(card).toHaveTextContent('One device at a time')
    expect(card).toHaveTextContent('1 of 4 users')
    expect(within(card).getByRole('link', { name: 'Open the site of Films' })).toHaveAttribute(
      'href',
      'https://films.example/login',
    )
    expect(shown).toBe(0)
    await user.click(within(card).getByRole('button', { name: 'Show password' }))
    expect(await within(card).findByText('swordfish')).toBeVisible()
    expect(within(card).getByText('family')).toBeVisible()
    await user.click(within(card).getByRole('button', { name: 'Hide' }))
    expect(within(card).queryByText('swordfish')).toBeNull()
    expect(shown).toBe(1)
  })

  it('show a code until it has expired', async () => {
    has(share())
    let left = 30
    server.use(
      http.post('*/services/share-account/3/code', () =>
        success({ code: '123456', seconds_left: left, at: '2026-11-02T04:00:00Z' }),
      ),
    )
    const { user } = await openSignedIn('/user/share-accounts')
    await user.click(await screen.findByRole('button', { name: 'Get a code' }))
    expect(await screen.findByLabelText('Verification code')).toHaveTextContent('123456')
    expect(screen.getByText(/Good for \d+ seconds/)).toBeVisible()
    left = 0
    await user.click(screen.getByRole('button', { name: 'Get a new code' }))
    expect(await screen.findByText('The code has expired')).toBeVisible()
    expect(screen.queryByText('123456')).toBeNull()
  })

  it('say what stands in the way', async () => {
    has(share(), share({ account_id: 4, account_name: 'Music', status: 'full', is_replaced: true }))
    server.use(
      http.post('*/services/share-account/3/secret', () =>
        failure(409, { message: 'No place is left', code: 'share_account_full' }),
      ),
    )
    const { user } = await openSignedIn('/user/share-accounts')
    const music = await screen.findByRole('article', { name: 'Music' })
    expect(music).toHaveTextContent('The password was replaced')
    expect(within(music).getByRole('button', { name: 'Show password' })).toBeDisabled()
    const films = screen.getByRole('article', { name: 'Films' })
    await user.click(within(films).getByRole('button', { name: 'Show password' }))
    expect(await within(films).findByRole('alert')).toHaveTextContent('No place is left')
  })

  it('say that there are none', async () => {
    has()
    await openSignedIn('/user/share-accounts')
    expect(await screen.findByText(/includes no share accounts/)).toBeVisible()
  })

  it('say what could not be loaded', async () => {
    server.use(http.get(listPath, () => failure(500, { message: 'No', code: 'internal' })))
    await openSignedIn('/user/share-accounts')
    await waitFor(() => expect(screen.getByRole('alert')).toBeVisible())
  })
})
