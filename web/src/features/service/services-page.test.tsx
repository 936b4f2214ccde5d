import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { describe, expect, it } from 'vitest'
import type { PackageItem, ServiceItem } from '@/api/gen/types.gen'
import { GB, inDays, packageItem, service } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { conditionOf } from './model'

const path = '*/api/v2/user/services'
const has = (services: ServiceItem[], packages: PackageItem[] = []) =>
  server.use(http.get(path, () => success({ services, packages })))

describe('the services page', () => {
  it('shows what is left of each service, and leads to its renewal', async () => {
    has([service()])
    await openSignedIn('/user/services')
    const card = within(await screen.findByRole('article', { name: 'Standard' }))
    expect(card.getByText('Running')).toBeVisible()
    expect(card.getByText('150')).toBeVisible()
    expect(card.getByRole('progressbar', { name: '25% used' })).toBeVisible()
    expect(card.getByText('Renews itself')).toBeVisible()
    expect(card.getByRole('link', { name: 'Renew' })).toHaveAttribute(
      'href',
      expect.stringContaining('renew=11'),
    )
  })

  it('shows packages, with or without an end', async () => {
    has([], [packageItem(), packageItem({ id: 6, name: 'Gift', expires_at: inDays(9.5) })])
    await openSignedIn('/user/services')
    const card = within(await screen.findByRole('article', { name: '50 GB more' }))
    expect(card.getByText('Until it is used up')).toBeVisible()
    expect(screen.getByRole('article', { name: 'Gift' })).toHaveTextContent('in 10 days')
  })

  it('leads somebody without any to the shop', async () => {
    has([])
    await openSignedIn('/user/services')
    expect(await screen.findByText(/No plan yet/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Choose a plan' })).toBeVisible()
  })

  it('says what could not be loaded, and tries again', async () => {
    has([service()])
    server.use(
      http.get(path, () => failure(409, { message: 'Not now', code: 'busy' }), { once: true }),
    )
    const { user } = await openSignedIn('/user/services')
    expect(await screen.findByText('Not now')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('article', { name: 'Standard' })).toBeVisible()
  })
})

describe('how a service is', () => {
  const now = Date.now()

  it.each([
    ['running', service()],
    ['running', service({ quota_bytes: null })],
    ['running', service({ ends_at: inDays(2), auto_renew: true })],
    ['ending', service({ ends_at: inDays(2), auto_renew: false })],
    ['exhausted', service({ used_bytes: 200 * GB })],
    ['ended', service({ state: 'ended' })],
  ] as const)('%s', (key, one) => {
    expect(conditionOf(one, now).key).toBe(key)
  })
})
