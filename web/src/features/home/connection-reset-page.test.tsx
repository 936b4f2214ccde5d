import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import type { LinkFetch } from '@/lib/api/gen/types.gen'
import { client, link } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const fetched = (change: Partial<LinkFetch> = {}): LinkFetch => ({
  time: '2026-05-01T08:00:00Z',
  token_fingerprint: '0a1b2c3d',
  is_current: true,
  ip: '192.0.2.1',
  area: 'JP',
  client: 'Clash Meta',
  version: '2.4.0',
  user_agent: 'clash-verge/v2.4.0',
  format: 'clash-meta',
  status: 200,
  nodes: 3,
  left_out: 0,
  bytes: 1234,
  ...change,
})

let asked: string | null

beforeEach(() => {
  asked = null
  server.use(
    http.get('*/api/v2/user/services/link-token/link-token', () => success(link())),
    http.get('*/api/v2/user/services/clients', () => success([client()])),
    http.get('*/api/v2/user/services/link-log', () =>
      success({
        total: 4,
        items: [
          fetched(),
          fetched({ client: 'Stash', status: 429 }),
          fetched({ client: 'Loon', is_current: false, area: 'ZZ' }),
          fetched({ client: 'Browser', version: '', format: 'html', nodes: 0 }),
        ],
      }),
    ),
    http.post('*/api/v2/user/services/link-token/link-token/reset', ({ request }) => {
      asked = new URL(request.url).searchParams.get('is_reset_ss_password')
      return success(link({ url: 'https://fast.example.com/link2/Zz91' }))
    }),
  )
})

describe('the page of resets', () => {
  it.each([
    ['Reset link', 'Reset your link?', 'false'],
    ['Reset both', 'Reset the link and the node passwords?', 'true'],
  ])('%s only after its price was named', async (button, title, both) => {
    const { user } = await openSignedIn('/user/connection-reset')
    await user.click(await screen.findByRole('button', { name: button }))
    const dialog = within(await screen.findByRole('dialog', { name: title }))
    expect(asked).toBeNull()
    await user.click(dialog.getByRole('button', { name: button }))
    expect(await screen.findByText(/The new link works/)).toBeVisible()
    expect(asked).toBe(both)
  })

  it('shows the new link where the answer was lost, and replaces it once', async () => {
    const links = '*/api/v2/user/services/link-token/link-token'
    const keys: (string | null)[] = []
    let current = 'Aa01'
    server.use(
      http.get(links, () => success(link({ url: `https://fast.example.com/link2/${current}` }))),
      http.post(`${links}/reset`, ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'))
        if (keys.length > 1) return failure(409, { message: 'Seen', code: 'already_received' })
        current = 'Zz91'
        return HttpResponse.error()
      }),
    )
    const { user } = await openSignedIn('/user/connection-reset')
    expect(await screen.findByText(/link2\/Aa/)).toBeInTheDocument()
    await user.click(screen.getByRole('button', { name: 'Reset link' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.click(dialog.getByRole('button', { name: 'Reset link' }))
    expect(await dialog.findByRole('alert')).toBeVisible()
    expect(await screen.findByText(/link2\/Zz/)).toBeInTheDocument()
    await user.click(dialog.getByRole('button', { name: 'Reset link' }))
    expect(await screen.findByText(/The new link works/)).toBeVisible()
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/./)

    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    await user.click(screen.getByRole('button', { name: 'Reset link' }))
    await user.click(
      within(await screen.findByRole('dialog')).getByRole('button', { name: 'Reset link' }),
    )
    await waitFor(() => expect(new Set(keys).size).toBe(2))
  })

  it('lists what was fetched with the link before as such', async () => {
    server.use(
      http.get('*/api/v2/user/services/link-log', () =>
        success({ total: 1, items: [fetched({ is_current: asked === null })] }),
      ),
    )
    const { user } = await openSignedIn('/user/connection-reset')
    expect(await screen.findByText('3 nodes')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Reset link' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.click(dialog.getByRole('button', { name: 'Reset link' }))
    expect(await screen.findByText('With a former link')).toBeVisible()
  })

  it('lists who fetched the link', async () => {
    await openSignedIn('/user/connection-reset')
    const rows = within(
      await screen.findByRole('table', { name: 'Who fetched the link' }),
    ).getAllByRole('row')
    expect(rows).toHaveLength(5)
    expect(rows[1]).toHaveTextContent(/Clash Meta 2\.4\.0.*3 nodes.*Japan · 192\.0\.2\.1/)
    expect(rows[2]).toHaveTextContent('Refused (429)')
    expect(rows[3]).toHaveTextContent('With a former link')
    expect(rows[4]).toHaveTextContent(/Browser.*The page/)
  })
})
