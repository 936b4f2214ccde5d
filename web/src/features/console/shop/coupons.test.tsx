import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { CouponItem, KeyBatch } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const coupon = (change: Partial<CouponItem> = {}): CouponItem => ({
  id: 3,
  code: 'SPRING',
  percent: 20,
  valid_from: inDays(-5),
  valid_to: null,
  total: 100,
  per_user: 1,
  plans: [],
  months: [],
  first_only: false,
  minimum: '0.00',
  enabled: true,
  taken: 7,
  made_by: 1,
  made_by_email: 'ann@example.com',
  created_at: inDays(-5),
  waits: false,
  declined: false,
  version: '4',
  ...change,
})

const batch: KeyBatch = {
  id: 6,
  name: 'Fair',
  kind: 'amount',
  amount: '5.00',
  size: 10,
  max_uses: 1,
  per_user: null,
  used: 2,
  expires_at: null,
  made_by: 1,
  made_by_email: 'ann@example.com',
  created_at: inDays(-1),
  confirmed_by: null,
  confirmed_at: inDays(-1),
  voided_by: null,
  voided_at: null,
}

const sent = vi.fn<(path: string, version: string | null, body: unknown) => void>()
const note = async (request: Request) =>
  sent(
    new URL(request.url).pathname.replace('/api/v2/staff', ''),
    request.headers.get('If-Match'),
    await request.json(),
  )

beforeEach(() => {
  sent.mockClear()
  server.use(
    ...asStaff('coupon.read', 'coupon.write', 'cdkey.read', 'cdkey.make', 'cdkey.void'),
    http.get('*/api/v2/staff/coupons/3', () => success(coupon())),
    http.get('*/api/v2/staff/coupons', () => success({ coupons: [coupon()], total_count: 1 })),
    http.post('*/api/v2/staff/coupons', async ({ request }) => {
      await note(request)
      return success(coupon({ waits: true }))
    }),
    http.patch('*/api/v2/staff/coupons/3', async ({ request }) => {
      await note(request)
      return success(coupon())
    }),
    http.get('*/api/v2/staff/cd-keys/6/redemptions', () =>
      success({
        redemptions: [
          {
            id: 1,
            key_id: 9,
            prefix: 'ABCD',
            user: { id: 9, email: 'lin@example.com' },
            redeemed_at: inDays(-1),
          },
        ],
        total_count: 1,
      }),
    ),
    http.get('*/api/v2/staff/cd-keys/6', () =>
      success({
        batch,
        keys: [{ id: 9, prefix: 'ABCD', used: 0, max_uses: 1, voided_at: null }],
      }),
    ),
    http.post('*/api/v2/staff/cd-keys', async ({ request }) => {
      await note(request)
      return success({ batch, csv: 'key\nABCD-EFGH' })
    }),
    http.post('*/api/v2/staff/cd-keys/6/void', async ({ request }) => {
      await note(request)
      return success({})
    }),
  )
})

const field = (name: RegExp | string) => screen.findByRole('textbox', { name })

describe('coupons', () => {
  it('are made after a question, and wait where a second member must approve', async () => {
    const { user } = await openSignedIn('/admin/coupons/new')
    await user.type(await field('Code'), 'spring')
    await user.click(screen.getByRole('button', { name: 'Make the coupon' }))
    const dialog = await screen.findByRole('dialog', { name: 'Make the coupon' })
    await user.click(await within(dialog).findByRole('button', { name: 'Make the coupon' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        '/coupons',
        null,
        expect.objectContaining({ code: 'spring', percent: 10, total: 100, per_user: 1 }),
      ),
    )
    expect(await screen.findByText(/counts once a second member/)).toBeVisible()
  })

  it('send what changed, with the version that was read', async () => {
    const { user } = await openSignedIn('/admin/coupons/3')
    await user.clear(await field('Orders in all'))
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(sent).toHaveBeenCalledWith('/coupons/3', '"4"', { total: 0 }))
  })
})

describe('the plans of coupons and cd-keys', () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      id: index + 1,
      kind: 'plan',
      name: `Plan ${index + 1}`,
      name_zh: '',
      name_en: index === 1 ? 'Second' : '',
      archived_at: null,
    }))
  const asReader = (count: number) =>
    server.use(
      ...asStaff('coupon.read', 'coupon.write', 'cdkey.read', 'cdkey.make', 'plan.read'),
      http.get('*/api/v2/staff/plans', () => success(named(count))),
    )

  it('are chosen by name, and one that is archived stays chosen', async () => {
    asReader(3)
    server.use(http.get('*/api/v2/staff/coupons/3', () => success(coupon({ plans: [2, 7] }))))
    const { user } = await openSignedIn('/admin/coupons/3')
    const plans = within(await screen.findByRole('group', { name: 'Plans' }))
    expect(await plans.findByRole('checkbox', { name: 'Second (#2)' })).toBeChecked()
    expect(plans.getByRole('checkbox', { name: '#7' })).toBeChecked()
    expect(await screen.findByText('Second, #7')).toBeVisible()
    await user.click(plans.getByRole('checkbox', { name: 'Plan 3 (#3)' }))
    expect(screen.getByText('Second (#2), Plan 3 (#3), #7')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/coupons/3', '"4"', { plans: [2, 3, 7] }),
    )
  })

  it('are found by their words where there are many, which keeps what is chosen', async () => {
    asReader(20)
    server.use(http.get('*/api/v2/staff/coupons/3', () => success(coupon({ plans: [4] }))))
    const { user } = await openSignedIn('/admin/coupons/3')
    await user.type(await screen.findByRole('searchbox', { name: 'Find: Plans' }), 'second{Enter}')
    const plans = within(screen.getByRole('group', { name: 'Plans' }))
    expect(plans.getAllByRole('checkbox')).toHaveLength(1)
    await user.click(plans.getByRole('checkbox', { name: 'Second (#2)' }))
    expect(sent).not.toHaveBeenCalled()
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(sent).toHaveBeenCalledWith('/coupons/3', '"4"', { plans: [2, 4] }))
  })

  it('are numbers for who may not read plans', async () => {
    const { user } = await openSignedIn('/admin/coupons/3')
    await user.type(await field('Numbers of plans'), '2, 7')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(sent).toHaveBeenCalledWith('/coupons/3', '"4"', { plans: [2, 7] }))
  })

  it('are numbers where they cannot be read', async () => {
    asReader(1)
    server.use(
      http.get('*/api/v2/staff/plans', () => failure(403, { message: 'No', code: 'forbidden' })),
    )
    await openSignedIn('/admin/coupons/new')
    expect(await field('Numbers of plans')).toBeVisible()
  })

  it('of a batch of keys is chosen by name, and named in the list', async () => {
    asReader(3)
    server.use(
      http.get('*/api/v2/staff/cd-keys', () =>
        success({
          batches: [{ ...batch, kind: 'plan', amount: undefined, plan_id: 2, months: 1 }],
          total_count: 1,
        }),
      ),
    )
    const { router, user } = await openSignedIn('/admin/cd-keys')
    expect(await screen.findByText('Second · 1 month')).toBeVisible()
    await router.navigate({ to: '/admin/cd-keys/new' })
    await user.selectOptions(await screen.findByRole('combobox', { name: /^Gives/ }), 'plan')
    await user.selectOptions(await screen.findByRole('combobox', { name: /^Plan/ }), 'Plan 3 (#3)')
    await user.click(screen.getByRole('button', { name: 'Make the keys' }))
    const dialog = await screen.findByRole('dialog', { name: 'Make the keys' })
    await user.click(await within(dialog).findByRole('button', { name: 'Make the keys' }))
    await waitFor(() => expect(sent.mock.calls[0]?.[2]).toMatchObject({ kind: 'plan', plan_id: 3 }))
  })
})

describe('cd-keys', () => {
  it('of a batch name the member of staff who made them', async () => {
    await openSignedIn('/admin/cd-keys/6')
    const facts = within(await screen.findByRole('region', { name: 'About the batch' }))
    expect(facts.getByRole('link', { name: 'ann@example.com' })).toBeVisible()
  })

  it('are made as a file that is there once', async () => {
    const { user } = await openSignedIn('/admin/cd-keys/new')
    await user.type(await field(/^Amount/), '5')
    await user.click(screen.getByRole('button', { name: 'Make the keys' }))
    const dialog = await screen.findByRole('dialog', { name: 'Make the keys' })
    expect(await within(dialog).findByText(/^10 keys are made, for 1 use each\./)).toBeVisible()
    await user.click(within(dialog).getByRole('button', { name: 'Make the keys' }))
    expect(await screen.findByRole('button', { name: 'Download the keys' })).toBeVisible()
    expect(sent.mock.calls[0]?.[2]).toMatchObject({ kind: 'amount', amount: '5', size: 10 })
    // Whoever has not saved them cannot leave by the page's own button.
    expect(screen.getByRole('button', { name: 'Go to the batch' })).toBeDisabled()
  })

  it('of a batch end by the typed size and a reason', async () => {
    const { user } = await openSignedIn('/admin/cd-keys/6?tab=redeemed')
    expect(await screen.findByText('lin@example.com')).toBeVisible()
    await user.click(await screen.findByRole('button', { name: 'Actions for #6 Fair' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Void', hidden: true }))
    const dialog = await screen.findByRole('dialog', { name: 'Void' })
    await user.type(await within(dialog).findByRole('textbox', { name: /^Reason/ }), 'Leaked')
    expect(within(dialog).getByRole('button', { name: 'Void' })).toBeDisabled()
    await user.type(within(dialog).getByRole('textbox', { name: /10/ }), '10')
    await user.click(within(dialog).getByRole('button', { name: 'Void' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('/cd-keys/6/void', null, { reason: 'Leaked' }),
    )
  })
})
