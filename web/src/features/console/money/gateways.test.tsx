import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { GatewayAccount, GatewayKind } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const field = (name: string, title: string, isPublic: boolean) => ({
  name,
  title,
  required: true,
  long: isPublic,
  public: isPublic,
  choices: [],
})

const kinds: GatewayKind[] = [
  {
    name: 'manual',
    title: 'Transfer',
    currencies: ['CNY'],
    fields: [
      field('instructions_zh', 'How to pay, in Chinese', true),
      field('instructions_en', 'How to pay, in English', true),
    ],
  },
  {
    name: 'stripe',
    title: 'Stripe',
    currencies: ['CNY'],
    fields: [field('secret_key', 'Secret key', false)],
  },
]

const account = (change: Partial<GatewayAccount>): GatewayAccount => ({
  id: 3,
  kind: 'manual',
  name: 'bank',
  notify_path: '/v1/payment/notify/bank',
  title_zh: '',
  title_en: '',
  icon: 'bank',
  fee_percent: '0.00',
  fee_fixed: '0.00',
  minimum: null,
  maximum: null,
  sort: 0,
  enabled: true,
  currency: 'CNY',
  rate: null,
  credentials: ['instructions_en', 'instructions_zh'],
  public: { instructions_zh: '请转账至 6222', instructions_en: 'Transfer to 6222' },
  created_at: inDays(-9),
  updated_at: inDays(-9),
  version: '4',
  ...change,
})

const sent = vi.fn<(body: unknown) => void>()

const answer = (gateway: GatewayAccount) =>
  server.use(
    http.get('*/api/v2/staff/gateways/kinds', () => success(kinds)),
    http.get('*/api/v2/staff/gateways/:id', () => success(gateway)),
    http.patch('*/api/v2/staff/gateways/:id', async ({ request }) => {
      sent(await request.json())
      return success(gateway)
    }),
  )

beforeEach(() => {
  sent.mockClear()
  server.use(
    ...asStaff('gateway.read', 'gateway.write'),
    http.get('*/api/v2/staff/gateways', () => success([])),
  )
})

describe('a gateway', () => {
  it('shows what payers read, and sends what of it was changed', async () => {
    answer(account({}))
    const { user } = await openSignedIn('/admin/gateways/3')
    const english = await screen.findByRole('textbox', { name: /How to pay, in English/ })
    expect(english).toHaveValue('Transfer to 6222')
    await user.type(english, '9')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    const dialog = await screen.findByRole('dialog')
    await user.click(within(dialog).getAllByRole('button').at(-1) as HTMLElement)
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith({ credentials: { instructions_en: 'Transfer to 62229' } }),
    )
  })

  it('that staff confirms by hand has no address for notifies', async () => {
    const byHand = account({})
    const stripe = account({ id: 4, kind: 'stripe', name: 'stripe', public: {} })
    answer(byHand)
    server.use(http.get('*/api/v2/staff/gateways', () => success([byHand, stripe])))
    const { router } = await openSignedIn('/admin/gateways')
    const table = await screen.findByRole('table', { name: 'Gateways' })
    const copy = { name: 'Copy Notify address' }
    const [, first, second] = within(table).getAllByRole('row')
    expect(within(first as HTMLElement).queryByRole('button', copy)).toBeNull()
    expect(within(second as HTMLElement).getByRole('button', copy)).toBeVisible()

    await router.navigate({ to: '/admin/gateways/$id', params: { id: '3' } })
    const connection = await screen.findByRole('region', { name: 'Connection' })
    expect(connection).not.toHaveTextContent(/notify/i)
    expect(within(connection).getByRole('button', { name: 'Test' })).toBeVisible()

    await router.navigate({ to: '/admin/gateways/new' })
    expect(await screen.findByText('Stands in the ledger, and never changes.')).toBeVisible()
  })

  it('of a platform shows where it sends its notifies', async () => {
    answer(account({ kind: 'stripe', credentials: ['secret_key'], public: {} }))
    await openSignedIn('/admin/gateways/3')
    const connection = await screen.findByRole('region', { name: 'Connection' })
    expect(connection).toHaveTextContent(`${location.origin}/v1/payment/notify/bank`)
  })

  it('shows nothing of a secret', async () => {
    answer(account({ kind: 'stripe', credentials: ['secret_key'], public: {} }))
    await openSignedIn('/admin/gateways/3')
    expect(await screen.findByLabelText(/Secret key/)).toHaveValue('')
    expect(screen.getByText(/never shown again/)).toBeVisible()
  })
})
