import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { StaffAuditRecord, StaffAuditRule } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const rule: StaffAuditRule = {
  id: 3,
  name: 'Mail',
  text: 'No mail',
  pattern: ':25$',
  exempt_user_ids: [5],
  exempt_users: [{ id: 5, email: 'ann@example.com' }],
  hits: 1234,
  last_hit_at: inDays(-1),
  created_at: inDays(-9),
  not_held_by: ['PPanel'],
  version: '7',
}

const hit: StaffAuditRecord = {
  id: 9,
  user_id: 6,
  email: 'bob@example.com',
  rule_id: 3,
  rule_name: 'Mail',
  node_id: 2,
  node_name: 'Tokyo 01',
  count: 4,
  created_at: inDays(-1),
}

const sent = vi.fn<(call: { method: string; path: string; body: unknown }) => void>()
const heard = vi.fn<(query: string) => void>()

const note = async ({ request }: { request: Request }) => {
  const text = await request.text()
  const { pathname } = new URL(request.url)
  sent({ method: request.method, path: pathname, body: text ? JSON.parse(text) : undefined })
  return success({})
}

beforeEach(() => {
  sent.mockClear()
  heard.mockClear()
  server.use(
    ...asStaff(
      'node.rule.read',
      'node.rule.write',
      'node.rule.hit.read',
      'node.blocked_address.read',
      'node.blocked_address.lift',
      'network.ban.read',
      'network.ban',
    ),
    http.get('*/api/v2/staff/audit-rules', () => success({ rules: [rule] })),
    http.post('*/api/v2/staff/audit-rules', note),
    http.put('*/api/v2/staff/audit-rules/3', note),
    http.delete('*/api/v2/staff/audit-rules/3', note),
    http.post('*/api/v2/staff/audit-rules/try', () =>
      success({
        rules: [{ id: 3, name: 'Mail', not_held_by: [], exempt_user_ids: [5] }],
        pattern_matches: true,
        not_held_by: ['V2bX'],
      }),
    ),
    http.get('*/api/v2/staff/audit-records', ({ request }) => {
      heard(new URL(request.url).search)
      return success({ rows: [hit], next_cursor: '' })
    }),
    http.get('*/api/v2/staff/audit-records/count', () => success({ rows: 1, approximate: false })),
    http.get('*/api/v2/staff/blocked-ips', () =>
      success({
        addresses: [{ id: 1, ip: '8.8.4.4', node_id: 2, node_name: null, blocked_at: inDays(0) }],
        total_count: 1,
      }),
    ),
    http.post('*/api/v2/staff/blocked-ips/unblock', note),
    http.get('*/api/v2/staff/ip-bans', () =>
      success({
        bans: [
          {
            id: 1,
            network: '203.0.113.0/24',
            starts_at: inDays(-1),
            ends_at: inDays(1),
            reason: 'Spam',
            remark: '',
            made_by: 1,
            made_by_email: 'root@example.com',
            created_at: inDays(-1),
          },
        ],
        total_count: 1,
      }),
    ),
    http.post('*/api/v2/staff/ip-bans', note),
    http.post('*/api/v2/staff/ip-bans/free', note),
  )
})

type User = Awaited<ReturnType<typeof openSignedIn>>['user']

/** Chooses an action of a row's menu, and gives its dialog. */
async function take(user: User, row: string, action: string) {
  await user.click(await screen.findByRole('button', { name: `Actions for ${row}` }))
  await user.click(await screen.findByRole('menuitem', { name: action, hidden: true }))
  return screen.findByRole('dialog', { name: action })
}

describe('audit rules', () => {
  it('are changed with their version’s exemptions, and lifted after a question', async () => {
    const { user } = await openSignedIn('/admin/audit-rules')
    const table = await screen.findByRole('table', { name: 'Audit rules' })
    expect(await within(table).findByRole('link', { name: '1,234' })).toHaveAttribute(
      'href',
      '/admin/audit-rules/hits?rule=3',
    )
    expect(within(table).getByRole('link', { name: 'ann@example.com' })).toBeVisible()
    const change = await take(user, 'Mail', 'Change')
    const exempt = within(change).getByLabelText('Exempt users')
    await user.clear(exempt)
    await user.type(exempt, '5, 6')
    await user.click(within(change).getByRole('button', { name: 'Change' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith({
        method: 'PUT',
        path: '/api/v2/staff/audit-rules/3',
        body: { name: 'Mail', text: 'No mail', pattern: ':25$', exempt_user_ids: [5, 6] },
      }),
    )
    const removal = await take(user, 'Mail', 'Lift')
    expect(removal).toHaveTextContent('Its 1234 hits stay in the log')
    await user.click(within(removal).getByRole('button', { name: 'Lift' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(expect.objectContaining({ method: 'DELETE' })),
    )
  })

  it('are tried on a destination, with a pattern that is no rule yet', async () => {
    const { user } = await openSignedIn('/admin/audit-rules')
    await user.type(await screen.findByLabelText('Destination, host:port'), 'mail.example.com:25')
    await user.type(screen.getByLabelText('Pattern to try (optional)'), ':25$')
    await user.click(screen.getByRole('button', { name: 'Try' }))
    expect(await screen.findByText('“Mail” stops it.')).toBeVisible()
    expect(screen.getByText('The pattern would stop it.')).toBeVisible()
    expect(screen.getByText('Cannot hold all of it: V2bX.')).toBeVisible()
  })

  it('let a user of a hit go', async () => {
    const { user } = await openSignedIn('/admin/audit-rules/hits?rule=3')
    const dialog = await take(user, 'bob@example.com · Mail', 'Exempt the user')
    expect(heard).toHaveBeenCalledWith(expect.stringContaining('rule=3'))
    await user.click(within(dialog).getByRole('button', { name: 'Exempt the user' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        expect.objectContaining({
          method: 'PUT',
          body: { name: 'Mail', text: 'No mail', pattern: ':25$', exempt_user_ids: [5, 6] },
        }),
      ),
    )
  })
})

describe('blocked addresses', () => {
  it('that a node blocked are let go', async () => {
    const { user } = await openSignedIn('/admin/blocked-addresses')
    expect(await screen.findByText('node 2 (removed)')).toBeVisible()
    const dialog = await take(user, '8.8.4.4', 'Let go')
    await user.click(within(dialog).getByRole('button', { name: 'Let go' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(expect.objectContaining({ body: { ip: '8.8.4.4' } })),
    )
  })

  it('are networks that staff bans until a time, with a reason', async () => {
    const { user } = await openSignedIn('/admin/blocked-addresses/bans')
    await user.click(await screen.findByRole('button', { name: 'Ban a network' }))
    const dialog = await screen.findByRole('dialog', { name: 'Ban a network' })
    await user.type(within(dialog).getByLabelText(/^Network/), '198.51.100.7')
    await user.type(within(dialog).getByLabelText(/^Reason/), 'Abuse')
    await user.click(within(dialog).getByRole('button', { name: 'Ban a network' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith({
        method: 'POST',
        path: '/api/v2/staff/ip-bans',
        body: {
          ip_cidr: '198.51.100.7',
          task_end_at: expect.stringMatching(/Z$/) as string,
          ban_context: 'Abuse',
          remark: '',
        },
      }),
    )
    const lift = await take(user, '203.0.113.0/24', 'Lift the ban')
    await user.click(within(lift).getByRole('button', { name: 'Lift the ban' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        expect.objectContaining({ body: { ip_cidr: '203.0.113.0/24' } }),
      ),
    )
  })
})
