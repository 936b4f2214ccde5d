import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AuditChain, AuditEntry } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const entry: AuditEntry = {
  id: 12,
  seq: 11,
  at: inDays(-1),
  actor: 'member',
  actor_id: 3,
  actor_email: 'ann@example.com',
  actor_role: 'admin',
  actor_name: '',
  address: '192.0.2.7',
  request_id: 'r1',
  action: 'node.change',
  action_text: 'Changed a node',
  object: 'node',
  object_id: '4',
  before: { port: 443 },
  after: { port: 8443, name: 'Tokyo' },
  reason: 'the port was blocked',
}

const chain: AuditChain = {
  seq: 11,
  entry_id: 12,
  sealed_at: inDays(-1),
  waiting: 0,
  is_intact: true,
  checked_at: inDays(-1),
  broken_places: 0,
}

beforeEach(() => {
  server.use(
    ...asStaff('audit.read', 'node.read'),
    http.get('*/api/v2/staff/audit', () => success({ rows: [entry], next_cursor: '' })),
    http.get('*/api/v2/staff/audit/count', () => success({ rows: 1, approximate: false })),
    http.get('*/api/v2/staff/audit/chain', () => success(chain)),
    http.get('*/api/v2/staff/audit/actions', () =>
      success([
        { action: 'node.add', zh: '添加了节点', en: 'Added a node' },
        { action: 'node.change', zh: '修改了节点', en: 'Changed a node' },
        { action: 'user.ban', zh: '封禁了用户', en: 'Banned a user' },
      ]),
    ),
    http.get('*/api/v2/staff/audit/12', () => success(entry)),
  )
})

describe('audit log', () => {
  it('lists who did what to which object, and says whether the chain is whole', async () => {
    await openSignedIn('/admin/audit-log')
    const table = await screen.findByRole('table', { name: 'Audit log' })
    expect(within(table).getByRole('link', { name: 'Changed a node' })).toHaveAttribute(
      'href',
      '/admin/audit-log/12',
    )
    expect(within(table).getByTitle('node.change')).toHaveTextContent('Changed a node')
    expect(within(table).getByText('ann@example.com')).toBeInTheDocument()
    expect(within(table).getByRole('link', { name: 'node 4' })).toHaveAttribute(
      'href',
      '/admin/nodes/4',
    )
    expect(await screen.findByText('Whole')).toBeInTheDocument()
  })

  it('is narrowed by an action that is found by its words in either language or its code', async () => {
    const { router, user } = await openSignedIn('/admin/audit-log')
    const choose = async () => {
      await user.click(await screen.findByRole('button', { name: 'Filter' }))
      await user.click(await screen.findByRole('button', { name: 'Action', hidden: true }))
      return screen.findByRole('searchbox', { name: 'Action', hidden: true })
    }
    const field = await choose()
    const found = () =>
      within(field.closest('form') as HTMLElement)
        .getAllByRole('button', { hidden: true })
        .map(({ textContent }) => textContent)
    await waitFor(() =>
      expect(found()).toEqual(['Added a node', 'Changed a node', 'Banned a user']),
    )
    for (const [typed, words] of [
      ['a node ch', ['Changed a node']],
      ['封禁', ['Banned a user']],
      ['user.b', ['Banned a user']],
    ] as const) {
      fireEvent.change(field, { target: { value: typed } })
      expect(found()).toEqual(words)
    }
    await user.click(screen.getByRole('button', { name: 'Banned a user', hidden: true }))
    await waitFor(() => expect(router.state.location.search).toEqual({ action: 'user.ban' }))
    expect(await screen.findByRole('button', { name: 'Action Banned a user' })).toBeVisible()

    await user.click(screen.getByRole('button', { name: 'Remove the filter Action' }))
    const again = await choose()
    fireEvent.change(again, { target: { value: 'node.' } })
    fireEvent.submit(again)
    await waitFor(() => expect(router.state.location.search).toEqual({ action: 'node.' }))
    expect(await screen.findByRole('button', { name: 'Action node.' })).toBeVisible()
  })

  it('says so when a check found the chain broken', async () => {
    server.use(
      http.get('*/api/v2/staff/audit/chain', () => success({ ...chain, broken_places: 2 })),
    )
    await openSignedIn('/admin/audit-log')
    expect(await screen.findByText(/Broken/)).toBeInTheDocument()
  })

  it('shows each field of an entry before and after, side by side', async () => {
    await openSignedIn('/admin/audit-log/12')
    expect(await screen.findByRole('heading', { name: 'Changed a node' })).toBeInTheDocument()
    expect(screen.getByText('node.change · #12')).toBeInTheDocument()
    const port = await screen.findByRole('row', { name: 'port 443 8443' })
    expect(port).toBeInTheDocument()
    expect(screen.getByRole('row', { name: 'name — Tokyo' })).toBeInTheDocument()
    expect(screen.getByText('the port was blocked')).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'all entries about it' })).toHaveAttribute(
      'href',
      expect.stringMatching(/^\/admin\/audit-log\?object=node&object_id=\S*4/),
    )
  })
})
