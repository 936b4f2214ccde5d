import { cleanNotifications } from '@mantine/notifications'
import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RebuiltNode, StaffNode } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'
import { fieldOf } from './field-names'
import { protocols } from './protocols'
import { thirdParty } from './third-party'
import { blank, bodyOf, changeOf, valuesOf } from './values'

const node = (change: Partial<StaffNode> = {}): StaffNode => ({
  id: 3,
  name: 'Tokyo 01',
  name_zh: '',
  name_en: '',
  protocol: 'vless',
  address: 'jp.example.com',
  port: 443,
  listen: '0.0.0.0',
  listen_port: 443,
  settings: {
    transport: 'tcp',
    security: 'reality',
    flow: 'xtls-rprx-vision',
    reality: {
      dest: 'www.example.org:443',
      server_names: ['www.example.org'],
      public_key: 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0',
      short_ids: ['38e92059'],
    },
  },
  secrets_set: ['reality.private_key'],
  rate: '1.50',
  hour_rates: [],
  rate_now: '1.50',
  quota_bytes: 2 ** 40,
  reset_day: 5,
  used_bytes: 2 ** 30,
  resets_at: inDays(9),
  spent: false,
  group_hosts: { '2': { host: 'b.example.com', port: 8443 } },
  relays: [{ name: 'via Osaka', host: 'os.example.com', port: 22005, node_id: 2 }],
  tags: ['IPLC'],
  remark: '',
  class: 0,
  group_id: 0,
  country: 'JP',
  speed_mbps: null,
  link_mbps: 10_000,
  sort: 0,
  visible: true,
  enabled: true,
  status: 'online',
  seen_at: inDays(0),
  agent: '1.4.0',
  uptime_seconds: 100,
  load: [0.5, 0.4, 0.3],
  cpu: 12.4,
  memory: 40,
  up_bps: 1,
  down_bps: 2,
  connections: 30,
  online_users: 7,
  created_at: inDays(-30),
  updated_at: inDays(-1),
  silenced_until: null,
  version: '9',
  ...change,
})

const sent = vi.fn<(call: { path: string; version: string | null; body: unknown }) => void>()
let present: StaffNode

const note = async (request: Request) => {
  const { pathname, search } = new URL(request.url)
  const text = await request.text()
  sent({
    path: pathname + search,
    version: request.headers.get('If-Match'),
    body: text ? JSON.parse(text) : undefined,
  })
}

beforeEach(() => {
  sent.mockClear()
  sessionStorage.clear()
  present = node()
  server.use(
    ...asStaff('node.read', 'node.write', 'node.silence', 'node.secret.rotate'),
    http.get('*/api/v2/staff/nodes', () => success({ nodes: [present], total: 1 })),
    http.get('*/api/v2/staff/nodes/rebuild', () => success([])),
    http.get('*/api/v2/staff/nodes/3', () => success(present)),
    http.post('*/api/v2/staff/nodes/3/silence', async ({ request }) => {
      await note(request)
      return success({})
    }),
    http.post('*/api/v2/staff/nodes/3/secret', async ({ request }) => {
      await note(request)
      return success({ secret: 's', install: 'curl example | sh' })
    }),
    http.patch('*/api/v2/staff/nodes/3', async ({ request }) => {
      await note(request)
      return success(present)
    }),
    http.post('*/api/v2/staff/nodes', async ({ request }) => {
      await note(request)
      return success({ node: present, secret: 's', install: 'curl example | sh' })
    }),
    http.post('*/api/v2/staff/nodes/change-several', async ({ request }) => {
      await note(request)
      return success({ results: [{ id: 3, changed: true, problem: '', version: '10' }] })
    }),
  )
})

// Errors stay until they are closed, and no more than five show at once.
afterEach(() => cleanNotifications())

type User = Awaited<ReturnType<typeof openSignedIn>>['user']

async function take(user: User, action: string) {
  await user.click(await screen.findByRole('button', { name: 'Actions for Tokyo 01' }))
  await user.click(await screen.findByRole('menuitem', { name: action, hidden: true }))
}

const old: RebuiltNode = {
  node_id: 8,
  node_name: 'Osaka 02',
  method: 'aes-256-gcm',
  vpn_type: 'vmess',
  node_config: { transport: 'tcp', security: 'none' },
  is_rebuilt: false,
  server_address: 'os.example.com',
  server_port: 8388,
}

describe('old nodes', () => {
  const notice = /speaks Shadowsocks as it was before 2022/

  it('are listed and rebuilt with a reason', async () => {
    server.use(
      http.get('*/api/v2/staff/nodes/rebuild', () => success([old])),
      http.post('*/api/v2/staff/nodes/rebuild', async ({ request }) => {
        await note(request)
        return success([{ ...old, is_rebuilt: true }])
      }),
    )
    const { user } = await openSignedIn('/admin/nodes')
    expect(await screen.findByText(notice)).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Rebuild as VMess' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Rebuild as VMess' }))
    expect(await dialog.findByText('Osaka 02 #8')).toBeVisible()
    expect(dialog.getByText('aes-256-gcm → VMess · os.example.com:8388')).toBeVisible()
    await user.type(dialog.getByRole('textbox', { name: /^Reason/ }), 'agents refuse it')
    await user.click(dialog.getByRole('button', { name: 'Rebuild as VMess' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith({
        path: '/api/v2/staff/nodes/rebuild',
        version: null,
        body: { reason: 'agents refuse it' },
      }),
    )
  })

  it('are not mentioned where there is none', async () => {
    await openSignedIn('/admin/nodes')
    await screen.findByRole('link', { name: /Tokyo 01/ })
    expect(screen.queryByText(notice)).toBeNull()
  })

  it('are not mentioned to who may not change nodes', async () => {
    server.use(
      ...asStaff('node.read'),
      http.get('*/api/v2/staff/nodes/rebuild', () => success([old])),
    )
    await openSignedIn('/admin/nodes')
    await screen.findByRole('link', { name: /Tokyo 01/ })
    expect(screen.queryByText(notice)).toBeNull()
  })
})

describe('the list of nodes', () => {
  it('shows how each node is, and silences one', async () => {
    const { user } = await openSignedIn('/admin/nodes')
    const table = await screen.findByRole('table', { name: 'Nodes' })
    expect(await within(table).findByText('12%')).toBeVisible()
    await take(user, 'Silence notices')
    const dialog = await screen.findByRole('dialog', { name: 'Silence notices' })
    await user.click(within(dialog).getByRole('button', { name: 'Silence notices' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        expect.objectContaining({ path: '/api/v2/staff/nodes/3/silence', body: { hours: 4 } }),
      ),
    )
  })

  it('names a node in the language of the member, also where its name is typed', async () => {
    present = node({ name: '东京', name_en: 'Tokyo 01' })
    const { user } = await openSignedIn('/admin/nodes')
    expect(await screen.findByRole('link', { name: /^Tokyo 01/ })).toBeVisible()
    await take(user, 'Remove')
    expect(await screen.findByRole('dialog', { name: 'Remove' })).toHaveTextContent('Tokyo 01')
  })

  it('names who is online before it disables a node', async () => {
    const { user } = await openSignedIn('/admin/nodes')
    await take(user, 'Disable')
    const dialog = await screen.findByRole('dialog', { name: 'Disable' })
    expect(dialog).toHaveTextContent('7 users are connected')
    await user.click(within(dialog).getByRole('button', { name: 'Disable' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        expect.objectContaining({ version: '"9"', body: { enabled: false } }),
      ),
    )
  })

  it('gives another secret for a reason, and shows the line once', async () => {
    const { user, router } = await openSignedIn('/admin/nodes')
    await take(user, 'New secret and install line')
    const dialog = await screen.findByRole('dialog', { name: 'New secret and install line' })
    await user.type(within(dialog).getByRole('textbox', { name: /^Reason/ }), 'It leaked')
    await user.click(within(dialog).getByRole('button', { name: 'New secret and install line' }))
    expect(await screen.findByText('curl example | sh')).toBeVisible()
    expect(router.state.location.pathname).toBe('/admin/nodes/3')
    expect(sent).toHaveBeenCalledWith(
      expect.objectContaining({ body: { honour_old_minutes: 60, reason: 'It leaked' } }),
    )
  })

  it('changes several, and takes it back', async () => {
    const { user } = await openSignedIn('/admin/nodes/several')
    await user.click(await screen.findByRole('checkbox', { name: /^Tokyo 01/ }))
    await user.click(await screen.findByRole('button', { name: 'Change' }))
    const dialog = await screen.findByRole('dialog', { name: 'Change' })
    await user.type(within(dialog).getByRole('textbox', { name: /^Rate/ }), '2')
    await user.click(within(dialog).getByRole('button', { name: 'Change' }))
    expect(await screen.findByText('Changed')).toBeVisible()
    expect(sent).toHaveBeenLastCalledWith(
      expect.objectContaining({ body: { ids: [3], versions: ['9'], rate: '2' } }),
    )
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    await waitFor(() =>
      expect(sent).toHaveBeenLastCalledWith(
        expect.objectContaining({ body: { ids: [3], versions: ['10'], rate: '1.50' } }),
      ),
    )
    await waitFor(() => expect(screen.queryByText('Results')).not.toBeInTheDocument())
  })

  it('leaves a change of another member in between as it is, and says so', async () => {
    const { user } = await openSignedIn('/admin/nodes/several')
    await user.click(await screen.findByRole('checkbox', { name: /^Tokyo 01/ }))
    await user.click(await screen.findByRole('button', { name: 'Change' }))
    const dialog = await screen.findByRole('dialog', { name: 'Change' })
    await user.type(within(dialog).getByRole('textbox', { name: /^Rate/ }), '2')
    await user.click(within(dialog).getByRole('button', { name: 'Change' }))
    server.use(
      http.post('*/api/v2/staff/nodes/change-several', () =>
        failure(503, { code: 'unavailable', message: 'Try again in a moment' }),
      ),
    )
    await user.click(await screen.findByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('Try again in a moment')).toBeVisible()
    server.use(
      http.post('*/api/v2/staff/nodes/change-several', () =>
        success({ results: [{ id: 3, changed: false, problem: 'Somebody else', version: '' }] }),
      ),
    )
    await user.click(await screen.findByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('Not taken back')).toBeVisible()
    expect(screen.getByText('Somebody else')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument()
  })

  it('takes back that it enabled a node from the version that this made', async () => {
    present = node({ enabled: false })
    server.use(
      http.patch('*/api/v2/staff/nodes/3', async ({ request }) => {
        await note(request)
        return request.headers.get('If-Match') === '"9"'
          ? success(node({ version: '10' }))
          : failure(409, { code: 'version_conflict', message: 'Somebody else has changed this' })
      }),
    )
    const { user } = await openSignedIn('/admin/nodes')
    await take(user, 'Enable')
    await user.click(await screen.findByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('Somebody else has changed this')).toBeVisible()
    expect(sent).toHaveBeenLastCalledWith(
      expect.objectContaining({ version: '"10"', body: { enabled: false } }),
    )
  })
})

describe('the form of a node', () => {
  it('makes one that works from a name and an address', async () => {
    const { user } = await openSignedIn('/admin/nodes/new?protocol=vless')
    await user.type(await screen.findByRole('textbox', { name: /^Name$/ }), 'Osaka 01')
    await user.type(screen.getByRole('textbox', { name: 'Address' }), 'os.example.com')
    await user.click(screen.getByRole('button', { name: 'Add the node' }))
    expect(await screen.findByText('curl example | sh')).toBeVisible()
    expect(sent).toHaveBeenCalledWith(
      expect.objectContaining({
        body: expect.objectContaining({
          protocol: 'vless',
          name: 'Osaka 01',
          port: 443,
          settings: {
            transport: 'tcp',
            security: 'reality',
            flow: 'xtls-rprx-vision',
            reality: { dest: 'www.microsoft.com:443', server_names: ['www.microsoft.com'] },
          },
        }),
      }),
    )
  })

  it('shows what the server refuses at its field', async () => {
    server.use(
      http.patch('*/api/v2/staff/nodes/3', () =>
        failure(422, {
          message: 'Some fields are wrong',
          code: 'invalid',
          errors: [
            { field: 'settings.reality.dest', code: 'format', message: 'This must be host:port' },
          ],
        }),
      ),
    )
    const { user } = await openSignedIn('/admin/nodes/3/edit')
    const target = await screen.findByRole('textbox', { name: /^REALITY target/ })
    await user.clear(target)
    await user.type(target, 'nothing')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('This must be host:port')).toBeVisible()
  })

  it('says that it may have been saved where no answer came', async () => {
    server.use(http.patch('*/api/v2/staff/nodes/3', () => HttpResponse.error()))
    const { user } = await openSignedIn('/admin/nodes/3/edit')
    await user.type(await screen.findByRole('textbox', { name: /^REALITY target/ }), '0')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText(/^No answer came, but this may have been done/)).toBeVisible()
  })

  it('says where an earlier try made the node that its secret was never shown', async () => {
    server.use(
      http.post('*/api/v2/staff/nodes', () =>
        failure(409, { message: 'Seen', code: 'already_received' }),
      ),
    )
    const { user, router } = await openSignedIn('/admin/nodes/new?protocol=vless')
    await user.type(await screen.findByRole('textbox', { name: /^Name$/ }), 'Osaka 01')
    await user.type(screen.getByRole('textbox', { name: 'Address' }), 'os.example.com')
    await user.click(screen.getByRole('button', { name: 'Add the node' }))
    expect(await screen.findByText(/its install line was never shown/)).toBeVisible()
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/nodes'))
  })

  it('leads to the node where an earlier try was received without an answer', async () => {
    const said = 'This was received before'
    server.use(
      http.patch('*/api/v2/staff/nodes/3', () =>
        failure(409, { message: said, code: 'already_received' }),
      ),
    )
    const { user, router } = await openSignedIn('/admin/nodes/3/edit')
    await user.type(await screen.findByRole('textbox', { name: /^REALITY target/ }), '0')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText(said)).toBeVisible()
    await waitFor(() => expect(router.state.location.href).toBe('/admin/nodes/3'))
  })
})

describe('the values of a node', () => {
  it('are the same when nothing was changed', () => {
    const read = node()
    const body = bodyOf('vless', valuesOf(read), read)
    expect(body.group_hosts).toEqual(read.group_hosts)
    expect(body.relays).toEqual(read.relays)
    expect(body.quota_bytes).toBe(read.quota_bytes)
    const { public_key: _, ...reality } = read.settings.reality ?? { dest: '', server_names: [] }
    expect(body.settings).toEqual({ ...read.settings, reality })
  })

  it('are sent where they changed, with the port of the agent that follows the clients’', () => {
    const read = node()
    const values = { ...valuesOf(read), port: '8443' }
    expect(changeOf(read, values, ['port'])).toEqual({ port: 8443, listen_port: 8443 })
    expect(Object.keys(changeOf(read, values, ['quota_gib', 'flow']))).toEqual([
      'settings',
      'quota_bytes',
    ])
  })

  it('begin with what each protocol needs', () => {
    for (const name of Object.keys(protocols) as (keyof typeof protocols)[]) {
      const { settings } = bodyOf(name, blank(name))
      expect(settings?.security ?? '').toBe(
        name === 'shadowsocks' ? '' : name === 'vless' ? 'reality' : 'tls',
      )
    }
  })

  it('have a field for each name of the server', () => {
    expect(
      ['settings.tls.server_name', 'settings.tls.acme.email', 'relays.0.host', 'quota_bytes'].map(
        fieldOf,
      ),
    ).toEqual(['server_name', 'acme_email', 'relays', 'quota_gib'])
  })
})

it('sets third-party agents up with the number of the node and the site', () => {
  const setups = thirdParty(node(), 'https://example.com')
  expect(setups.map(({ name }) => name)).toEqual(['v2node', 'V2bX', 'ppanel-node', 'XrayR'])
  for (const { text } of setups) {
    expect(text).toContain('https://example.com')
    expect(text).toContain('SECRET')
  }
  expect(thirdParty(node({ protocol: 'tuic' }), 'https://example.com')).toHaveLength(3)
})
