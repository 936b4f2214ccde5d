import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, expect, it, vi } from 'vitest'
import type { StaffWebhook, WebhookDelivery } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const hook: StaffWebhook = {
  id: 3,
  name: 'Ledger',
  url: 'https://ops.example.com/airstrip',
  events: ['order.paid'],
  is_enabled: true,
  disabled_reason: '',
  failing_since: null,
  created_at: inDays(-9),
  updated_at: inDays(-1),
  version: '4',
}

const delivery: WebhookDelivery = {
  id: 8,
  event_id: 'e-8',
  type: 'order.paid',
  event_at: inDays(-1),
  state: 'failed',
  attempts: 9,
  next_at: null,
  ended_at: inDays(0),
  expires_at: inDays(0),
}

const attempt = { at: inDays(-1), duration_ms: 31, status: 500, error: '', answer: 'broken' }

const sent = vi.fn<(call: { call: string; version: string | null; body: unknown }) => void>()

const taking =
  (answer: object) =>
  async ({ request }: { request: Request }) => {
    const text = await request.text()
    sent({
      call: `${request.method} ${new URL(request.url).pathname.replace('/api/v2/staff', '')}`,
      version: request.headers.get('If-Match'),
      body: text ? JSON.parse(text) : undefined,
    })
    return success(answer)
  }

const staff = '*/api/v2/staff'

beforeEach(() => {
  sent.mockClear()
  server.use(
    ...asStaff('webhook.read', 'webhook.write', 'webhook.send', 'money.refund.read'),
    http.get(`${staff}/webhooks`, () => success([hook])),
    http.get(`${staff}/webhook-events`, () =>
      success([
        { type: 'user.created', text: 'A user signed up' },
        { type: 'order.paid', text: 'An order was paid' },
      ]),
    ),
    http.post(`${staff}/webhooks`, taking({ webhook: hook, secret: 'whsec_made' })),
    http.put(`${staff}/webhooks/3`, taking(hook)),
    http.post(`${staff}/webhooks/3/test`, taking({ ...attempt, is_accepted: false })),
    http.post(`${staff}/webhooks/3/rotate`, taking({ secret: 'whsec_new' })),
    http.get(`${staff}/webhooks/3/deliveries`, () =>
      success({ deliveries: [delivery], total_count: 1 }),
    ),
    http.get(`${staff}/webhooks/3/deliveries/8`, () =>
      success({ ...delivery, body: '{"order":1}', log: [{ ...attempt, is_accepted: false }] }),
    ),
    http.post(`${staff}/webhooks/3/deliveries/8/redeliver`, taking({})),
  )
})

type User = Awaited<ReturnType<typeof openSignedIn>>['user']

async function choose(user: User, row: string, action: string) {
  await user.click(await screen.findByRole('button', { name: `Actions for ${row}` }))
  await user.click(await screen.findByRole('menuitem', { name: action, hidden: true }))
  return within(await screen.findByRole('dialog', { name: action }))
}

it('shows the secret of a new webhook once', async () => {
  const { user } = await openSignedIn('/admin/webhooks')
  await user.click(await screen.findByRole('button', { name: 'New webhook' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'New webhook' }))
  await user.type(await dialog.findByRole('textbox', { name: 'Name' }), 'Books')
  await user.type(dialog.getByRole('textbox', { name: /^Address/ }), 'ops.example.com/x')
  await user.click(dialog.getByRole('switch', { name: 'A user signed up' }))
  await user.click(dialog.getByRole('button', { name: 'New webhook' }))
  expect(await screen.findByText('whsec_made')).toBeVisible()
  expect(sent.mock.calls[0]?.[0]).toMatchObject({
    call: 'POST /webhooks',
    body: {
      name: 'Books',
      url: 'https://ops.example.com/x',
      is_enabled: true,
      events: ['order.paid'],
    },
  })
})

it('says that a new webhook’s secret was never shown where the answer was lost', async () => {
  server.use(
    http.post(`${staff}/webhooks`, () =>
      failure(409, { message: 'Seen', code: 'already_received' }),
    ),
  )
  const { user } = await openSignedIn('/admin/webhooks')
  await user.click(await screen.findByRole('button', { name: 'New webhook' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'New webhook' }))
  await user.type(await dialog.findByRole('textbox', { name: 'Name' }), 'Books')
  await user.type(dialog.getByRole('textbox', { name: /^Address/ }), 'ops.example.com/x')
  await user.click(dialog.getByRole('button', { name: 'New webhook' }))
  expect(await screen.findByText(/^The secret of “Books” was made, but never shown/)).toBeVisible()
})

it('is changed with the version that was read, and tells how a test went', async () => {
  const { user } = await openSignedIn('/admin/webhooks')
  let dialog = await choose(user, 'Ledger', 'Change')
  await user.click(await dialog.findByRole('switch', { name: 'Delivers' }))
  await user.click(dialog.getByRole('button', { name: 'Change' }))
  await waitFor(() =>
    expect(sent).toHaveBeenCalledWith({
      call: 'PUT /webhooks/3',
      version: '"4"',
      body: { name: 'Ledger', url: hook.url, is_enabled: false, events: ['order.paid'] },
    }),
  )
  dialog = await choose(user, 'Ledger', 'Send a test')
  await user.click(await dialog.findByRole('button', { name: 'Send a test' }))
  expect(await screen.findByText(/did not accept the test after 31 ms: 500/)).toBeVisible()
})

it('shows what was delivered, and delivers it again', async () => {
  const { user } = await openSignedIn('/admin/webhooks/3')
  const table = await screen.findByRole('table', { name: 'Deliveries' })
  await user.click(await within(table).findByRole('link', { name: 'order.paid' }))
  expect(await screen.findByText('{"order":1}')).toBeVisible()
  expect(screen.getByText(/31 ms broken/)).toBeVisible()
  const dialog = await choose(user, 'e-8', 'Deliver again')
  await user.click(await dialog.findByRole('button', { name: 'Deliver again' }))
  await waitFor(() => expect(sent.mock.lastCall?.[0].call).toContain('/deliveries/8/redeliver'))
})
