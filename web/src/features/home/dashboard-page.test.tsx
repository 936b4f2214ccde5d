import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Access, LinkApp, NodeInfo } from '@/lib/api/gen/types.gen'
import { checkIn, client, dashboard, inDays, link, node, order, recharge } from '@/test/fixtures'
import type { AreaChartProps } from '@/ui/charts/area-option'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { openClient } from '@/ui/connect/import-client'
import { queryClient } from '@/app/query-client'

vi.mock('@/ui/connect/import-client', async (original) => ({
  ...(await original<typeof import('@/ui/connect/import-client')>()),
  openClient: vi.fn(async () => true),
}))
// A canvas, which jsdom has not.
vi.mock('@/ui/charts/area-chart', () => ({
  AreaChart: ({ label, unfinished, series }: AreaChartProps) => (
    <div role="img" aria-label={`${label}, last ${unfinished}`}>
      {series[0]?.values.map((value) => value ?? 'none').join()}
    </div>
  ),
}))

const answers = (
  change: Partial<Access> = {},
  parts: { lastFetch?: string | null; clients?: LinkApp[]; nodes?: NodeInfo[] } = {},
) => [
  http.get('*/api/v2/user/dashboard', () => success(dashboard(change))),
  http.get('*/api/v2/user/announcements', () =>
    success({ announcements: [], total_count: 0, unread_count: 0 }),
  ),
  http.get('*/api/v2/user/services-old/checkin', () => success(checkIn())),
  http.get('*/api/v2/user/services/link-token/link-token', () =>
    success(link(parts.lastFetch === undefined ? {} : { last_fetch_at: parts.lastFetch })),
  ),
  http.get('*/api/v2/user/services/clients', () =>
    success(
      parts.clients ?? [
        client({ platforms: ['linux'] }),
        client({ id: 'hand', name: 'Byhand', platforms: ['linux'], import_url: '' }),
      ],
    ),
  ),
  http.get('*/api/v2/user/services/nodes', () =>
    success({
      total_nodes: 2,
      user_tier: '',
      available_nodes: parts.nodes ?? [node(), node({ node_id: 2, status: 'late' })],
    }),
  ),
  http.get('*/api/v2/user/services/subscribe-log/area-time-axis', () =>
    success([
      {
        user_id: 7,
        data_time_range_lower: new Date().toISOString(),
        ss_tx_size: 1024 ** 3,
        ss_rx_size: 3 * 1024 ** 3,
        total_traffic: 0,
        effective_traffic: 0,
        traffic_gb: 0,
        timestamp_ms: Date.now(),
      },
    ]),
  ),
]

type User = Awaited<ReturnType<typeof openSignedIn>>['user']

// Without a layout the menu's button is nowhere, so the menu takes itself for out of sight.
const chooseFromMenu = async (user: User, name: string) =>
  user.click(await screen.findByRole('menuitem', { name, hidden: true }))

const connection = () => screen.findByRole('region', { name: 'Connection' })

beforeEach(() => server.use(...answers()))

describe('the dashboard', () => {
  it('says what is left, until when, and what is in the wallet', async () => {
    await openSignedIn('/user/dashboard')
    const card = within(await connection())
    expect(await card.findByText('Ready to use')).toBeVisible()
    expect(card.getByText('150')).toBeVisible()
    expect(card.getByText('2 of 5 devices online')).toBeVisible()
    expect(card.getByText(/in 98 days/)).toBeVisible()
    expect(card.getByRole('progressbar', { name: '25% used' })).toBeVisible()
    expect(screen.getByRole('region', { name: 'Balance' })).toHaveTextContent('128.50')
    expect(await screen.findByText('Slow to answer')).toBeVisible()
  })

  it('counts a full node as full, not as online', async () => {
    server.use(...answers({}, { nodes: [node({ load: 100 })] }))
    await openSignedIn('/user/dashboard')
    const card = within(await screen.findByRole('region', { name: 'Nodes' }))
    expect((await card.findByText('Full')).closest('[data-tone]')).toHaveAttribute(
      'data-tone',
      'error',
    )
    expect(card.queryByText('Online')).not.toBeInTheDocument()
  })

  it('is not ready to use while all nodes are offline, and says what to do', async () => {
    const down = [1, 2].map((node_id) => node({ node_id, status: 'offline' }))
    server.use(...answers({}, { nodes: down }))
    await openSignedIn('/user/dashboard')
    const card = within(await connection())
    expect((await card.findByText('Nodes offline')).closest('[data-tone]')).toHaveAttribute(
      'data-tone',
      'error',
    )
    expect(card.queryByText('Ready to use')).not.toBeInTheDocument()
    const alert = within(card.getByRole('alert'))
    expect(alert.getByText(/All 2 of your nodes are offline/)).toBeVisible()
    expect(alert.getByRole('link', { name: 'See nodes' })).toBeVisible()
  })

  it('says how many nodes are offline where others are not', async () => {
    const nodes = [node(), node({ node_id: 2, status: 'offline' }), node({ node_id: 3 })]
    server.use(...answers({}, { nodes }))
    await openSignedIn('/user/dashboard')
    const card = within(await connection())
    expect(await card.findByText('Ready to use')).toBeVisible()
    expect(card.getByRole('link', { name: '1 of 3 nodes offline' })).toBeVisible()
  })

  it('is not ready to use where the plan has no node at all', async () => {
    server.use(...answers({}, { nodes: [] }))
    await openSignedIn('/user/dashboard')
    const card = within(await connection())
    expect(await card.findByText('No nodes')).toBeVisible()
    expect(card.queryByText('Ready to use')).not.toBeInTheDocument()
  })

  it('asks for a plan where all there is is the traffic of a check-in, which opens no node', async () => {
    server.use(...answers({ expires_at: null, renew_service_id: null }, { nodes: [] }))
    await openSignedIn('/user/dashboard')
    const card = within(await connection())
    expect(await card.findByText('No plan yet')).toBeVisible()
    expect(card.getByRole('link', { name: 'Choose a plan' })).toBeVisible()
    expect(card.queryByText(/Your plan has no node/)).not.toBeInTheDocument()
    expect(card.queryByRole('button', { name: 'Other clients' })).not.toBeInTheDocument()
    expect(card.getByText('Traffic left')).toBeVisible()
  })

  describe('an order that waits for its payment', () => {
    const asked = vi.fn<() => void>()
    const waiting = () =>
      http.get('*/api/v2/user/wallet/recharge', () => {
        asked()
        const record = recharge({ no: 31, order: order({ state: 'pending', name: 'Pro' }) })
        return success({ created_at: inDays(-9), total_count: 1, recharge_records: [record] })
      })
    beforeEach(() => asked.mockClear())

    it.each(['none', 'expired'] as const)('is shown where the plan is %s', async (state) => {
      server.use(...answers({ state, used_bytes: 0, quota_bytes: 0 }), waiting())
      await openSignedIn('/user/dashboard')
      const card = within(await connection())
      expect(await card.findByText('Your order of Pro waits for its payment.')).toBeVisible()
      expect(card.getByRole('link', { name: 'Pay' })).toHaveAttribute(
        'href',
        '/user/wallet/recharge/new?id=31',
      )
    })

    it('is not asked for while a service runs', async () => {
      server.use(...answers(), waiting())
      await openSignedIn('/user/dashboard')
      await connection()
      expect(asked).not.toHaveBeenCalled()
    })
  })

  it('does not take a list from before the plan began for one without nodes', async () => {
    const path = '*/api/v2/user/services/nodes'
    const empty = { total_nodes: 2, user_tier: '', available_nodes: [], locked_nodes: [] }
    server.use(...answers({ state: 'none', used_bytes: 0, quota_bytes: 0 }, { nodes: [] }))
    await openSignedIn('/user/dashboard')
    expect(await within(await connection()).findByText('No plan yet')).toBeVisible()
    let answer = () => {}
    const asked = new Promise<void>((resolve) => (answer = resolve))
    server.use(
      ...answers(),
      http.get(path, async () => {
        await asked
        return success({ ...empty, available_nodes: [node()] })
      }),
    )
    void queryClient.invalidateQueries()
    await waitFor(() => expect(screen.queryByText('No plan yet')).not.toBeInTheDocument())
    expect(screen.queryByText('No nodes')).not.toBeInTheDocument()
    answer()
    expect(await screen.findByText('Ready to use')).toBeVisible()
  })

  it('goes by the plan alone where the nodes can’t be loaded', async () => {
    server.use(
      http.get('*/api/v2/user/services/nodes', () =>
        failure(409, { message: 'Not now', code: 'busy' }),
      ),
    )
    await openSignedIn('/user/dashboard')
    expect(await within(await connection()).findByText('Ready to use')).toBeVisible()
  })

  it('shows the traffic as a chart and as a table', async () => {
    const { user } = await openSignedIn('/user/dashboard')
    expect(await screen.findByRole('img', { name: /Traffic of the last/ })).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Table' }))
    const rows = within(await screen.findByRole('table')).getAllByRole('row')
    expect(rows).toHaveLength(31)
    expect(rows[1]).toHaveTextContent('3 GB')
    expect(rows[1]).toHaveTextContent('so far')
    expect(rows[2]).not.toHaveTextContent('so far')
  })

  it('draws no days from before the sign-up, and says that today is not over', async () => {
    const signedUp = new Date(Date.now() - 86_400_000).toISOString()
    server.use(
      http.get('*/api/v2/user/dashboard', () => success({ ...dashboard(), created_at: signedUp })),
    )
    const { user } = await openSignedIn('/user/dashboard')
    const chart = await screen.findByRole('img', { name: /Traffic of the last.*last so far/ })
    const shown = [...Array<string>(28).fill('none'), '0', String(3 * 1024 ** 3)]
    expect(chart).toHaveTextContent(shown.join())
    expect(screen.getByText('Today so far')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Table' }))
    expect(within(await screen.findByRole('table')).getAllByRole('row')).toHaveLength(3)
  })

  it('leads somebody new to a plan', async () => {
    server.use(...answers({ state: 'none', used_bytes: 0, quota_bytes: 0 }))
    await openSignedIn('/user/dashboard')
    const card = within(await connection())
    expect(card.getByRole('heading', { name: 'Connected in three steps' })).toBeVisible()
    expect(card.getByRole('link', { name: 'Choose a plan' })).toHaveAttribute(
      'href',
      expect.stringContaining('/user/services/buy'),
    )
    expect(card.queryByText('Connect a device')).not.toBeInTheDocument()
  })

  it('keeps the steps until the link was fetched', async () => {
    server.use(...answers({ used_bytes: 0 }, { lastFetch: null }))
    await openSignedIn('/user/dashboard')
    expect(await screen.findByRole('heading', { name: 'Connected in three steps' })).toBeVisible()
    expect(screen.getByText('Connect a device')).toBeVisible()
  })

  it('says in the steps where to get the client that the import button names', async () => {
    server.use(...answers({ used_bytes: 0 }, { lastFetch: null }))
    const { user } = await openSignedIn('/user/dashboard')
    const download = await screen.findByRole('link', { name: 'Get Clash Verge' })
    expect(download).toHaveAttribute('href', client().download_url)
    await user.click(screen.getByRole('button', { name: 'Other clients' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Byhand' }))
    expect(screen.getByRole('button', { name: 'Import to Byhand' })).toBeInTheDocument()
    expect(download).toHaveTextContent('Get Byhand')
  })

  it.each([
    [{ renew_service_id: 11 }, /\/buy\?.*renew=11/],
    [{ renew_service_id: 11, state: 'expired' }, /\/buy\?.*renew=11/],
    [{ renew_service_id: null, state: 'expired' }, /\/user\/services$/],
  ] as const)('leads to the renewal itself where one service is meant: %o', async (has, place) => {
    server.use(...answers(has))
    await openSignedIn('/user/dashboard')
    const card = within(await connection())
    expect(await card.findByRole('link', { name: 'Renew' })).toHaveAttribute(
      'href',
      expect.stringMatching(place),
    )
  })

  it.each([
    [{ state: 'exhausted' }, 'Buy a package'],
    [{ state: 'expired' }, 'Renew'],
  ] as const)('offers the one thing that helps: %o', async (change, action) => {
    server.use(...answers(change))
    await openSignedIn('/user/dashboard')
    const alert = within(await screen.findByRole('alert'))
    expect(alert.getByRole('link', { name: action })).toBeVisible()
  })

  it('says that the account is suspended and hands out no link', async () => {
    server.use(
      http.get('*/api/v2/user/dashboard', () =>
        success({
          ...dashboard({ state: 'banned' }),
          ban: { reason: 'Spam was sent', until: '2030-06-01T04:00:00Z' },
        }),
      ),
    )
    await openSignedIn('/user/dashboard')
    expect(await screen.findByRole('alert')).toHaveTextContent('suspended')
    expect(screen.getByText('Spam was sent')).toBeVisible()
    expect(screen.getByText(/Jun 1, 2030/)).toBeVisible()
    expect(screen.queryByText('Connect a device')).not.toBeInTheDocument()
  })

  it('says what could not be loaded, with the number to quote, and tries again', async () => {
    server.use(
      http.get(
        '*/api/v2/user/dashboard',
        () => failure(409, { message: 'The server is confused', code: 'confused' }),
        { once: true },
      ),
    )
    const { user } = await openSignedIn('/user/dashboard')
    expect(await screen.findByText('The server is confused')).toBeVisible()
    expect(screen.getByText('req-1')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('Ready to use')).toBeVisible()
  })
})

describe('the link', () => {
  it('is hidden until one asks, and is copied whole', async () => {
    const { user } = await openSignedIn('/user/dashboard')
    expect(await screen.findByText(/link2\/q7•+$/)).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Copy subscription link' }))
    expect(await navigator.clipboard.readText()).toBe(link().url)
    expect(screen.getByRole('button', { name: 'Copied' })).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Show' }))
    expect(screen.getByText(link().url)).toBeVisible()
  })

  it('is on the address that one chooses, also once it is reset', async () => {
    const on = (token: string) =>
      link({
        url: `https://fast.example.com/link2/${token}`,
        urls: ['fast.example.com', 'spare.example.net:8443'].map(
          (host) => `https://${host}/link2/${token}`,
        ),
      })
    server.use(
      http.get('*/api/v2/user/services/link-token/link-token', () => success(on('q7Vt'))),
      http.post('*/api/v2/user/services/link-token/link-token/reset', () => success(on('Zz91'))),
    )
    const { user } = await openSignedIn('/user/dashboard')
    const address = await screen.findByRole('combobox', { name: 'Address of the link' })
    expect(address).toHaveValue('fast.example.com')
    await user.selectOptions(address, 'spare.example.net:8443')
    await user.click(screen.getByRole('button', { name: 'Copy subscription link' }))
    expect(await navigator.clipboard.readText()).toBe('https://spare.example.net:8443/link2/q7Vt')
    await user.click(screen.getByRole('button', { name: 'Import to Clash Verge' }))
    expect(openClient).toHaveBeenLastCalledWith(expect.stringContaining('spare.example.net'))
    await user.click(screen.getByRole('button', { name: 'Other clients' }))
    await chooseFromMenu(user, 'Reset link…')
    await user.click(await screen.findByRole('button', { name: 'Reset link' }))
    expect(await screen.findByText('The new link works')).toBeVisible()
    expect(screen.getByText(/spare\.example\.net:8443\/link2\/Zz/)).toBeInTheDocument()
  })

  it('is not shown to staff that sees the site as the user, who need not try again', async () => {
    const message = 'Nothing can be changed here, and subscription links are not shown'
    server.use(
      http.get('*/api/v2/user/services/link-token/link-token', () =>
        failure(403, { message, code: 'staff_visit' }),
      ),
    )
    await openSignedIn('/user/dashboard')
    expect(await screen.findByText(message)).toBeVisible()
    expect(screen.queryByText('This could not be loaded')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  })

  it('needs no choice where there is one address', async () => {
    await openSignedIn('/user/dashboard')
    expect(await screen.findByRole('button', { name: 'Copy subscription link' })).toBeVisible()
    expect(screen.queryByRole('combobox')).not.toBeInTheDocument()
  })

  it('opens as a QR code', async () => {
    const { user } = await openSignedIn('/user/dashboard')
    await user.click(await screen.findByRole('button', { name: 'QR code' }))
    expect(await screen.findByRole('img', { name: 'Scan with another device' })).toBeVisible()
  })

  it('goes to the client for this system with one press', async () => {
    const { user } = await openSignedIn('/user/dashboard')
    await user.click(await screen.findByRole('button', { name: 'Import to Clash Verge' }))
    expect(openClient).toHaveBeenCalledWith(
      expect.stringMatching(/^clash:\/\/install-config\?url=https%3A%2F%2Ffast/),
    )
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  })

  it('says so when no client opened, and offers the other ways', async () => {
    vi.mocked(openClient).mockResolvedValueOnce(false)
    const { user } = await openSignedIn('/user/dashboard')
    await user.click(await screen.findByRole('button', { name: 'Import to Clash Verge' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Clash Verge did not open' }))
    expect(dialog.getByRole('link', { name: 'Get Clash Verge' })).toHaveAttribute(
      'href',
      'https://example.com/clash',
    )
    await user.click(dialog.getByRole('button', { name: 'QR code' }))
    expect(await screen.findByRole('img', { name: 'Scan with another device' })).toBeVisible()
  })

  it('is copied for a client that must be given it by hand, which is first the next time', async () => {
    const { user } = await openSignedIn('/user/dashboard')
    await user.click(await screen.findByRole('button', { name: 'Other clients' }))
    await chooseFromMenu(user, 'Byhand')
    expect(await screen.findByRole('dialog', { name: 'Paste the link into Byhand' })).toBeVisible()
    expect(await navigator.clipboard.readText()).toBe(link().url)
    expect(localStorage.getItem('import_client')).toBe('hand')
  })

  it('is reset only after its price was named, and shows the new one', async () => {
    server.use(
      http.post('*/api/v2/user/services/link-token/link-token/reset', () =>
        success(link({ url: 'https://fast.example.com/link2/Zz91' })),
      ),
    )
    const { user } = await openSignedIn('/user/dashboard')
    await user.click(await screen.findByRole('button', { name: 'Other clients' }))
    await chooseFromMenu(user, 'Reset link…')
    const dialog = within(await screen.findByRole('dialog', { name: 'Reset your link?' }))
    expect(dialog.getByText(/every device must import/)).toBeVisible()
    await user.click(dialog.getByRole('button', { name: 'Reset link' }))
    expect(await screen.findByText('The new link works')).toBeVisible()
    expect(screen.getByText(/link2\/Zz/)).toBeInTheDocument()
  })
})
