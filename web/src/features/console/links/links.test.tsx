import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { LinkTemplate, StaffApp } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'
import { differences, laidOver, nearChanges, readDocument } from './document'

const client = (change: Partial<StaffApp> = {}): StaffApp => ({
  id: 'stash',
  name: 'Stash',
  platforms: ['ios'],
  import_url: 'stash://install-config?url={url}',
  download_url: 'https://stash.example/get',
  formats: ['Stash'],
  is_enabled: true,
  sort: 20,
  version: '3',
  ...change,
})

const template: LinkTemplate = {
  scope: 'site',
  scope_id: 0,
  document: { rules: 'none' },
  updated_by: 1,
  updated_by_email: 'ann@example.com',
  updated_at: inDays(-1),
  version: '4',
}

type Call = { method: string; path: string; version: string | null; body: unknown }
const sent = vi.fn<(call: Call) => void>()

const note = async ({ request }: { request: Request }) => {
  const text = await request.text()
  sent({
    method: request.method,
    path: new URL(request.url).pathname,
    version: request.headers.get('If-Match'),
    body: text ? JSON.parse(text) : undefined,
  })
  return success({})
}

beforeEach(() => {
  sent.mockClear()
  sessionStorage.clear()
  server.use(
    ...asStaff(
      'user.history.read',
      'user.recover',
      'client.read',
      'client.write',
      'link.template.read',
      'link.template.write',
      'audit.read',
    ),
    http.get('*/api/v2/staff/link-fetches', () =>
      success({
        rows: [
          {
            id: 1,
            user: { id: 6, email: 'bob@example.com' },
            at: inDays(0),
            ip: '203.0.113.9',
            area: 'JP',
            token: 'ab',
            client: 'stash',
            version: '3.1',
            user_agent: 'Stash/3.1',
            format: 'stash',
            status: 200,
            nodes: 5,
            left_out: 2,
            bytes: 900,
          },
        ],
        next_cursor: '',
      }),
    ),
    http.get('*/api/v2/staff/link-fetches/count', () => success({ rows: 1, approximate: false })),
    http.get('*/api/v2/staff/link-spreads', () =>
      success({
        links: [
          {
            user: { id: 6, email: 'bob@example.com' },
            networks: 12,
            areas: 3,
            fetches: 40,
            last_at: inDays(0),
            reset_at: inDays(-5),
          },
        ],
        total_count: 1,
      }),
    ),
    http.post('*/api/v2/staff/users/6/link/reset', note),
    http.get('*/api/v2/staff/clients', () =>
      success([client(), client({ id: 'loon', name: 'Loon', is_enabled: false, version: '1' })]),
    ),
    http.put('*/api/v2/staff/clients/stash', note),
    http.post('*/api/v2/staff/clients/order', note),
    http.get('*/api/v2/staff/link-templates', () =>
      success({ builtin: { rules: 'basic', direct: { suffixes: ['cn'] } }, templates: [template] }),
    ),
    http.get('*/api/v2/staff/link-templates/site/0/affected', () => success({ users: 41 })),
    http.put('*/api/v2/staff/link-templates/site/0', note),
    http.get('*/api/v2/staff/audit', () =>
      success({
        next_cursor: '',
        rows: [
          {
            id: 7,
            seq: 1,
            at: inDays(-3),
            actor: 'member',
            actor_id: 1,
            actor_name: '',
            actor_role: 'owner',
            address: '',
            action: 'link.template.set',
            object: 'link_template',
            object_id: 'site/0',
            before: null,
            after: { document: { rules: 'full' } },
            reason: '',
            request_id: '',
          },
        ],
      }),
    ),
  )
})

type User = Awaited<ReturnType<typeof openSignedIn>>['user']

const open = async (user: User, row: string, action: string) => {
  await user.click(await screen.findByRole('button', { name: `Actions for ${row}` }))
  await user.click(await screen.findByRole('menuitem', { name: action, hidden: true }))
}

describe('link fetches', () => {
  it('say who fetched what from where', async () => {
    await openSignedIn('/admin/link-fetches')
    const table = await screen.findByRole('table', { name: 'Link fetches' })
    expect(await within(table).findByText('Japan · 203.0.113.9')).toBeVisible()
    expect(within(table).getByText('5 nodes · 2 left out')).toBeVisible()
  })

  it('of a link that many use lead to another link, for a reason', async () => {
    const { user } = await openSignedIn('/admin/link-fetches/spreads')
    expect(await screen.findByRole('link', { name: '40' })).toHaveAttribute(
      'href',
      '/admin/link-fetches?user=6',
    )
    await open(user, 'bob@example.com', 'Replace the link')
    const dialog = await screen.findByRole('dialog', { name: 'Replace the link' })
    await user.type(within(dialog).getByLabelText(/^Reason/), 'Sold on')
    await user.click(within(dialog).getByRole('button', { name: 'Replace the link' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        expect.objectContaining({
          path: '/api/v2/staff/users/6/link/reset',
          body: { reason: 'Sold on' },
        }),
      ),
    )
  })
})

describe('client programs', () => {
  it('are hidden and keep all else, and put into another order', async () => {
    const { user } = await openSignedIn('/admin/clients')
    await open(user, 'Stash', 'Hide')
    const { id: _, version: __, ...present } = client()
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith({
        method: 'PUT',
        path: '/api/v2/staff/clients/stash',
        version: '"3"',
        body: { ...present, is_enabled: false },
      }),
    )
    await user.click(screen.getByRole('button', { name: 'Order' }))
    const dialog = await screen.findByRole('dialog', { name: 'Order' })
    await user.click(within(dialog).getByRole('button', { name: /Loon.*up|up.*Loon/i }))
    await user.click(within(dialog).getByRole('button', { name: /order/i }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        expect.objectContaining({ body: { ids: ['loon', 'stash'] } }),
      ),
    )
  })
})

describe('the editor of a template', () => {
  it('checks what one types, shows what differs, and publishes with the version that one began with', async () => {
    server.use(
      http.post('*/api/v2/staff/link-templates/preview', async ({ request }) => {
        const { document } = (await request.json()) as { document: { rules?: string } }
        return document.rules === 'wrong'
          ? failure(422, {
              message: 'Wrong',
              code: 'invalid_input',
              errors: [{ field: 'document.rules', code: 'choice', message: 'None such' }],
            })
          : success({ body: 'proxies: []', type: 'text/yaml', nodes: 3, left_out: 0, suffix: '' })
      }),
    )
    const { user } = await openSignedIn('/admin/link-templates/site/0')
    const document = await screen.findByRole('textbox', { name: 'Document' })
    expect(await screen.findByText('proxies: []')).toBeVisible()
    expect(await screen.findByText('Every client can read it.')).toBeVisible()
    await user.clear(document)
    await user.click(document)
    await user.paste('{"rules": "wrong"}')
    expect(await screen.findByText(/document\.rules: None such/)).toBeVisible()
    await user.clear(document)
    await user.paste('{"rules": "full"')
    expect(await screen.findByText(/no JSON object/)).toBeVisible()
    await user.click(document)
    await user.paste('}')
    await user.click(screen.getByText('Differences'))
    expect(await screen.findByText(/\+ "rules": "full"/)).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Publish' }))
    const dialog = await screen.findByRole('dialog', { name: 'Publish' })
    expect(dialog).toHaveTextContent('The site: 41 users get it')
    await user.click(within(dialog).getByRole('button', { name: 'Publish' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith({
        method: 'PUT',
        path: '/api/v2/staff/link-templates/site/0',
        version: '"4"',
        body: { document: { rules: 'full' } },
      }),
    )
  })

  it('takes a version that was published before', async () => {
    server.use(
      http.post('*/api/v2/staff/link-templates/preview', () =>
        success({ body: '', type: 'text/yaml', nodes: 3, left_out: 0, suffix: '' }),
      ),
    )
    const { user } = await openSignedIn('/admin/link-templates/site/0')
    await user.click(await screen.findByText('Versions'))
    await user.click(await screen.findByRole('button', { name: 'Take into the editor' }))
    expect(screen.getByRole('textbox', { name: 'Document' })).toHaveValue('{\n  "rules": "full"\n}')
  })
})

describe('documents', () => {
  it('are laid over each other as RFC 7396 has it', () => {
    expect(
      laidOver({ a: 1, b: { c: 2, d: [1] }, e: 3 }, { b: { c: 4, d: [2] }, e: null, f: 5 }),
    ).toEqual({ a: 1, b: { c: 4, d: [2] }, f: 5 })
  })

  it('are objects', () => {
    expect(readDocument('[]')).toEqual({ problem: '' })
    expect(readDocument(' ')).toEqual({ document: {} })
  })

  it('differ in the fewest lines', () => {
    const lines = differences('a\nb\nc\nd\ne\nf\ng', 'a\nb\nc\nD\ne\nf\ng')
    expect(nearChanges(lines).map(({ sign, text }) => sign + text)).toEqual([
      ' b',
      ' c',
      '-d',
      '+D',
      ' e',
      ' f',
    ])
  })
})
