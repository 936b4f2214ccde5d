import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { TimeAxisPoint, TrafficRecord } from '@/lib/api/gen/types.gen'
import { saveFile } from '@/lib/save-file'
import { node } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import type { AreaChartProps } from '@/ui/charts/area-option'

// A canvas, which jsdom has not.
vi.mock('@/ui/charts/area-chart', () => ({
  AreaChart: ({ label, unfinished, series }: AreaChartProps) => (
    <div role="img" aria-label={`${label}, last ${unfinished}`}>
      {series[0]?.values.slice(-2).join()}
    </div>
  ),
}))
vi.mock('@/lib/save-file', async (original) => ({
  ...(await original<typeof import('@/lib/save-file')>()),
  saveFile: vi.fn(),
}))

const GB = 1024 ** 3
const log = '*/api/v2/user/services/subscribe-log'

const point = (time: number, up: number, down: number): TimeAxisPoint => ({
  user_id: 7,
  data_time_range_lower: new Date(time).toISOString(),
  ss_tx_size: up,
  ss_rx_size: down,
  total_traffic: up + down,
  effective_traffic: 2 * (up + down),
  traffic_gb: 0,
  timestamp_ms: time,
})
const record = (change: Partial<TrafficRecord> = {}): TrafficRecord => ({
  user_id: 7,
  node_id: 1,
  node_name: 'Tokyo 01',
  created_at: '2026-11-02T04:00:00Z',
  ss_tx_size: GB,
  ss_rx_size: 2 * GB,
  node_rate: '1.50',
  total_traffic: 3 * GB,
  effective_traffic: 4.5 * GB,
  ...change,
})
const sum = { ss_tx_size: GB, ss_rx_size: 2 * GB, total_traffic: 3 * GB, effective_traffic: 4 * GB }
const noSum = { ss_tx_size: 0, ss_rx_size: 0, total_traffic: 0, effective_traffic: 0 }

let asked: string[]
const answers = (path: string, answer: (query: URLSearchParams) => Response) =>
  http.get(`${log}/${path}`, ({ request }) => {
    const { pathname, searchParams } = new URL(request.url)
    asked.push(`${pathname.split('/').at(-1)}?${searchParams}`)
    return answer(searchParams)
  })

beforeEach(() => {
  asked = []
  server.use(
    http.get('*/api/v2/user/services/nodes', () =>
      success({
        total_nodes: 1,
        user_tier: '',
        available_nodes: [node({ node_id: 3 })],
        locked_nodes: [],
      }),
    ),
    answers('area-time-axis', () => success([point(Date.now(), GB, 3 * GB)])),
    answers('calendar-pie', () => success([point(Date.now(), GB, 3 * GB)])),
    answers('nodes', () => success([{ node_id: 3, node_name: 'Tokyo 01', ...sum }])),
    answers('pages', () => success({ records: [record()], total_count: 1, sum, next_after: null })),
  )
})

describe('the charts', () => {
  it('draw the day that is not over as such, and have the same figures as a table', async () => {
    const { user } = await openSignedIn('/user/subscribe-log-chart')
    const picture = await screen.findByRole('img', { name: 'Traffic over time, last so far' })
    expect(picture).toHaveTextContent(`0,${3 * GB}`)
    await user.click(screen.getByRole('radio', { name: 'Table' }))
    const table = screen.getByRole('group', { name: 'Traffic over time' })
    expect(within(table).getAllByRole('row')).toHaveLength(2)
    expect(within(table).getByRole('row', { name: /so far 3 GB 1 GB 8 GB/ })).toBeVisible()
  })

  it('have their range and node in the address', async () => {
    const { user, router } = await openSignedIn('/user/subscribe-log-chart')
    await user.click(await screen.findByRole('radio', { name: '7 days' }))
    await user.selectOptions(screen.getByRole('combobox', { name: 'Node' }), '3')
    expect(router.state.location.search).toMatchObject({ range: '7d', node: 3 })
    await vi.waitFor(() => expect(asked.at(-1)).toMatch(/^area-time-axis\?.*bucket=hour&node_id=3/))
  })

  it('tell days that are over without traffic from those to come', async () => {
    const noon = Date.parse('2026-01-15T12:00:00Z')
    server.use(answers('calendar-pie', () => success([point(noon, GB, 3 * GB)])))
    await openSignedIn('/user/subscribe-log-chart?month=2026-01')
    const month = await screen.findByRole('table', { name: 'January 2026' })
    expect(await within(month).findByRole('button', { name: /: 4 GB$/ })).toBeVisible()
    expect(within(month).getAllByText('0 B')).toHaveLength(30)
  })

  it('lead from a day of the calendar to its nodes and its records', async () => {
    const { user, router } = await openSignedIn('/user/subscribe-log-chart')
    await user.click(await screen.findByRole('button', { name: /: 4 GB so far$/ }))
    const dialog = await screen.findByRole('dialog')
    expect(
      await within(dialog).findByRole('row', { name: /Tokyo 01 2 GB 1 GB 4 GB/ }),
    ).toBeVisible()
    await user.click(within(dialog).getByRole('link', { name: 'Records of this day' }))
    expect(await screen.findByRole('heading', { name: 'Traffic records' })).toBeVisible()
    expect(router.state.location.search).toHaveProperty('day')
    await vi.waitFor(() => expect(asked.at(-1)).toMatch(/^pages\?.*from=.*&to=/))
  })

  it('say that there is nothing, and what went wrong', async () => {
    server.use(
      answers('area-time-axis', () => success([])),
      http.get(`${log}/calendar-pie`, () => failure(409, { message: 'Not now', code: 'busy' })),
    )
    await openSignedIn('/user/subscribe-log-chart')
    expect(await screen.findByText(/No traffic in this time/)).toBeVisible()
    expect(await screen.findByText('Not now')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Try again' })).toBeVisible()
  })

  it('save what the server sends', async () => {
    server.use(answers('area-time-axis/csv', () => new Response('a,b\n', { status: 200 })))
    const { user } = await openSignedIn('/user/subscribe-log-chart')
    const [save] = await screen.findAllByRole('button', { name: 'Save as CSV' })
    await vi.waitFor(() => expect(save).toBeEnabled())
    if (save) await user.click(save)
    await vi.waitFor(() =>
      expect(vi.mocked(saveFile)).toHaveBeenCalledWith('traffic-30d.csv', expect.any(Blob)),
    )
  })
})

describe('the records', () => {
  it('are listed with what they add up to', async () => {
    await openSignedIn('/user/subscribe-log-detail')
    expect(await screen.findByText('1 record')).toBeVisible()
    expect(screen.getByRole('table', { name: 'Traffic records' })).toHaveAttribute(
      'aria-rowcount',
      '2',
    )
  })

  it('are those of the address', async () => {
    const { user, router } = await openSignedIn('/user/subscribe-log-detail?node=3')
    await vi.waitFor(() => expect(asked).toContain('pages?node_id=3&limit=200'))
    await user.click(await screen.findByRole('button', { name: 'Clear filters' }))
    await vi.waitFor(() => expect(asked).toContain('pages?limit=200'))
    expect(router.state.location.search).toEqual({})
  })

  it('say that there are none, and what went wrong', async () => {
    server.use(
      answers('pages', () =>
        success({ records: [], total_count: 0, sum: noSum, next_after: null }),
      ),
    )
    await openSignedIn('/user/subscribe-log-detail')
    expect(await screen.findByText('No traffic has been recorded yet.')).toBeVisible()
    server.use(http.get(`${log}/pages`, () => failure(409, { message: 'Not now', code: 'busy' })))
    await openSignedIn('/user/subscribe-log-detail?node=9')
    expect(await screen.findByText('Not now')).toBeVisible()
  })
})
