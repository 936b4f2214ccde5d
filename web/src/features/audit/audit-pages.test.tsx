import { screen } from '@testing-library/react'
import { http } from 'msw'
import { describe, expect, it } from 'vitest'
import type { AuditRecord, AuditRule } from '@/lib/api/gen/types.gen'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const rulesPath = '*/api/v2/user/services/audit/rule'
const recordsPath = '*/api/v2/user/services/audit/record'

const rule = (change: Partial<AuditRule> = {}): AuditRule => ({
  id: 3,
  name: 'BitTorrent',
  text: 'Downloads over BitTorrent',
  pattern: 'torrent',
  my_hits: 0,
  last_hit_at: null,
  ...change,
})
const record = (change: Partial<AuditRecord> = {}): AuditRecord => ({
  id: 1,
  rule_id: 3,
  rule_name: 'BitTorrent',
  node_id: 2,
  node_name: 'Tokyo 01',
  count: 4,
  created_at: '2026-11-02T04:00:00Z',
  ...change,
})

const hasRules = (...rules: AuditRule[]) =>
  server.use(http.get(rulesPath, () => success({ rules })))

/** Answers a part of the records, as the server does. */
const hasRecords = (...records: AuditRecord[]) =>
  server.use(
    http.get(recordsPath, ({ request }) => {
      const query = new URL(request.url).searchParams
      const ofRule = Number(query.get('rule_id') ?? 0)
      const found = records.filter(({ rule_id: id }) => ofRule === 0 || id === ofRule)
      const offset = Number(query.get('offset'))
      return success({
        records: found.slice(offset, offset + Number(query.get('limit'))),
        total_count: found.length,
      })
    }),
  )

describe('the audit rules', () => {
  it('say in plain words what they block, and what they stopped of mine', async () => {
    hasRules(
      rule({ my_hits: 12, last_hit_at: '2026-11-02T04:00:00Z' }),
      rule({ id: 4, name: 'Mail', text: '', pattern: ':25$' }),
    )
    await openSignedIn('/user/audit')
    const row = await screen.findByRole('row', { name: /BitTorrent/ })
    expect(row).toHaveTextContent('Downloads over BitTorrent')
    expect(screen.getByRole('link', { name: '12 times' })).toHaveAttribute(
      'href',
      '/user/audit/view?rule=3',
    )
    expect(screen.getByRole('row', { name: /Mail/ })).toHaveTextContent('0 times')
    expect(screen.getByText(/12 of your connections were refused/)).toBeVisible()
  })

  it('say that there was nothing', async () => {
    hasRules(rule())
    await openSignedIn('/user/audit')
    expect(await screen.findByText(/None of your connections/)).toBeVisible()
  })

  it('say that there are none', async () => {
    hasRules()
    await openSignedIn('/user/audit')
    expect(await screen.findByText('There are no audit rules at present.')).toBeVisible()
  })

  it('say what could not be loaded, and are asked for again', async () => {
    hasRules(rule())
    server.use(
      http.get(rulesPath, () => failure(409, { message: 'Not now', code: 'busy' }), { once: true }),
    )
    const { user } = await openSignedIn('/user/audit')
    expect(await screen.findByText('Not now')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('row', { name: /BitTorrent/ })).toBeVisible()
  })
})

describe('the audit log', () => {
  it('says what was stopped when and where', async () => {
    hasRecords(record(), record({ id: 2, rule_name: 'Mail', node_name: null, count: 1 }))
    await openSignedIn('/user/audit/view')
    const row = await screen.findByRole('row', { name: /BitTorrent/ })
    expect(row).toHaveTextContent('Tokyo 01')
    expect(row).toHaveTextContent('2026')
    expect(row).toHaveTextContent('4')
    expect(screen.getByRole('row', { name: /Mail/ })).toHaveTextContent('Removed node')
  })

  it('comes in pages that the address names', async () => {
    hasRecords(...Array.from({ length: 25 }, (_, id) => record({ id, rule_name: `Rule ${id}` })))
    const { router, user } = await openSignedIn('/user/audit/view')
    expect(await screen.findByRole('row', { name: /Rule 0/ })).toBeVisible()
    await user.click(screen.getByRole('link', { name: 'Older' }))
    expect(await screen.findByRole('row', { name: /Rule 24/ })).toBeVisible()
    expect(router.state.location.search).toEqual({ page: 2 })
    expect(screen.queryByRole('row', { name: /Rule 0/ })).not.toBeInTheDocument()
  })

  it('says that it has no such page, and leads to the newest', async () => {
    hasRecords(record())
    const { user } = await openSignedIn('/user/audit/view?page=9')
    expect(await screen.findByText('The log does not go back that far.')).toBeVisible()
    await user.click(screen.getByRole('link', { name: 'See the newest' }))
    expect(await screen.findByRole('row', { name: /BitTorrent/ })).toBeVisible()
  })

  it('is of one rule where the address names it', async () => {
    hasRecords(record(), record({ id: 2, rule_id: 4, rule_name: 'Mail' }))
    const { user } = await openSignedIn('/user/audit/view?rule=4')
    expect(await screen.findByRole('row', { name: /Mail/ })).toBeVisible()
    expect(screen.queryByRole('row', { name: /BitTorrent/ })).not.toBeInTheDocument()
    await user.click(screen.getByRole('link', { name: 'All rules' }))
    expect(await screen.findByRole('row', { name: /BitTorrent/ })).toBeVisible()
  })

  it('leads back to the rules where nothing was stopped', async () => {
    hasRecords()
    await openSignedIn('/user/audit/view')
    expect(await screen.findByText('No connection was refused.')).toBeVisible()
    expect(screen.getByRole('link', { name: 'See the rules' })).toHaveAttribute(
      'href',
      '/user/audit',
    )
  })

  it('says what could not be loaded, and is asked for again', async () => {
    hasRecords(record())
    server.use(
      http.get(recordsPath, () => failure(409, { message: 'Not now', code: 'busy' }), {
        once: true,
      }),
    )
    const { user } = await openSignedIn('/user/audit/view')
    expect(await screen.findByText('Not now')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('row', { name: /BitTorrent/ })).toBeVisible()
  })
})
