import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { StaffPlan } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const GB = 1024 ** 3

const plan = (id: number, change: Partial<StaffPlan> = {}): StaffPlan => ({
  id,
  kind: 'plan',
  state: 'on_sale',
  name: `Plan ${id}`,
  name_zh: '',
  name_en: '',
  info: '',
  info_zh: '',
  info_en: '',
  traffic_bytes: 100 * GB,
  reset: 'anniversary',
  class: 2,
  class_name: 'Gold',
  groups: [1, 3],
  speed_mbps: 200,
  devices: null,
  valid_days: null,
  stock: null,
  per_user: null,
  renewable: true,
  sort: id,
  prices: [
    { months: 1, amount: '15.00', renewals: 4 },
    { months: 12, amount: '150.00', renewals: 7 },
  ],
  running: 20,
  renewing: 11,
  created_at: inDays(-100),
  archived_at: null,
  version: '5',
  ...change,
})

const sent = vi.fn<(method: string, path: string, version: string | null, body: unknown) => void>()
const take = async ({ request }: { request: Request }) => {
  const text = await request.text()
  sent(
    request.method,
    new URL(request.url).pathname.replace('/api/v2/staff/plans', ''),
    request.headers.get('If-Match'),
    text ? JSON.parse(text) : undefined,
  )
  return success(plan(1))
}

beforeEach(() => {
  sent.mockClear()
  server.use(
    ...asStaff('plan.read', 'plan.write'),
    http.put('*/api/v2/staff/plans/order', take),
    http.get('*/api/v2/staff/plans/:id', ({ params }) => success(plan(Number(params.id)))),
    http.get('*/api/v2/staff/plans', () =>
      success([
        plan(1),
        plan(2, { state: 'hidden', name: '二号', name_zh: '第二', name_en: 'Plan 2' }),
        plan(3, { stock: 0 }),
      ]),
    ),
    http.post('*/api/v2/staff/plans', take),
    http.post('*/api/v2/staff/plans/:id/:what', take),
    http.patch('*/api/v2/staff/plans/:id', take),
  )
})

const field = (name: RegExp | string) => screen.findByRole('textbox', { name })

describe('the list of plans', () => {
  it('shows prices and what runs, and leads to each plan', async () => {
    const { router, user } = await openSignedIn('/admin/plans')
    const table = await screen.findByRole('table', { name: 'Plans' })
    const row = within(table).getByRole('row', { name: /^Plan 1 / })
    expect(row).toHaveTextContent('1 month ¥15.00 · 12 months ¥150.00')
    expect(row).toHaveTextContent('20')
    await user.click(within(table).getByRole('link', { name: 'Plan 2' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/plans/2'))
  })

  it('is put in order by buttons and by drag, and saved at once', async () => {
    const { user } = await openSignedIn('/admin/plans')
    await user.click(await screen.findByRole('button', { name: 'Change the order' }))
    const dialog = await screen.findByRole('dialog', { name: 'Change the order' })
    expect(await within(dialog).findByRole('button', { name: 'Move Plan 1 up' })).toBeDisabled()
    expect(within(dialog).getByRole('button', { name: 'Move Plan 2 up' })).toBeVisible()
    await user.click(within(dialog).getByRole('button', { name: 'Move Plan 3 up' }))
    const [first, second] = within(dialog).getAllByRole('listitem')
    if (!first || !second) throw new Error('The list is empty')
    fireEvent.dragStart(second)
    fireEvent.dragOver(first)
    fireEvent.dragEnd(first)
    await user.click(within(dialog).getByRole('button', { name: 'Save the order' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('PUT', '/order', null, { plans: [3, 1, 2] }),
    )
  })

  it('is not put in order over what was changed meanwhile, which is shown', async () => {
    let present = [plan(1), plan(2), plan(3)]
    server.use(http.get('*/api/v2/staff/plans', () => success(present)))
    const { user } = await openSignedIn('/admin/plans')
    await user.click(await screen.findByRole('button', { name: 'Change the order' }))
    const dialog = await screen.findByRole('dialog', { name: 'Change the order' })
    await user.click(await within(dialog).findByRole('button', { name: 'Move Plan 3 up' }))
    present = [plan(2), plan(1), plan(3), plan(4)]
    const save = within(dialog).getByRole('button', { name: 'Save the order' })
    await user.click(save)
    expect(await within(dialog).findByText(/^The list was changed meanwhile/)).toBeVisible()
    expect(
      within(dialog)
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toEqual(['Plan 2', 'Plan 1', 'Plan 3', 'Plan 4'])
    expect(sent).not.toHaveBeenCalled()
    await user.click(within(dialog).getByRole('button', { name: 'Move Plan 4 up' }))
    await user.click(save)
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('PUT', '/order', null, { plans: [2, 1, 4, 3] }),
    )
  })

  it('is saved once where the answer to an earlier try was lost', async () => {
    let present = [plan(1), plan(2)]
    server.use(
      http.get('*/api/v2/staff/plans', () => success(present)),
      http.put('*/api/v2/staff/plans/order', () => {
        present = present.toReversed()
        return HttpResponse.error()
      }),
    )
    const { user } = await openSignedIn('/admin/plans')
    await user.click(await screen.findByRole('button', { name: 'Change the order' }))
    const dialog = await screen.findByRole('dialog', { name: 'Change the order' })
    await user.click(await within(dialog).findByRole('button', { name: 'Move Plan 2 up' }))
    const save = within(dialog).getByRole('button', { name: 'Save the order' })
    await user.click(save)
    expect(await within(dialog).findByText(/^No answer came/)).toBeVisible()
    await user.click(save)
    // The message of an earlier test may still be there.
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(present.map(({ id }) => id)).toEqual([2, 1])
  })

  it('names the renewals that an archived plan ends', async () => {
    const { user } = await openSignedIn('/admin/plans')
    await user.click(await screen.findByRole('button', { name: 'Actions for Plan 1' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Archive', hidden: true }))
    const dialog = await screen.findByRole('dialog', { name: 'Archive' })
    expect(await within(dialog).findByText(/11 that renew themselves will not/)).toBeVisible()
    await user.click(within(dialog).getByRole('button', { name: 'Archive' }))
    await waitFor(() => expect(sent).toHaveBeenCalledWith('POST', '/1/archive', null, undefined))
  })
})

describe('the form of a plan', () => {
  it('names the renewals that a price affects, and sends all prices with the version', async () => {
    const { router, user } = await openSignedIn('/admin/plans/1')
    const price = await field('12 months')
    await user.clear(price)
    await user.type(price, '120.00')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    const dialog = await screen.findByRole('dialog', { name: 'Save' })
    expect(await within(dialog).findByText(/for 7 services that renew themselves/)).toBeVisible()
    await user.click(within(dialog).getByRole('button', { name: 'Cancel' }))
    expect(sent).not.toHaveBeenCalled()
    await user.click(screen.getByRole('button', { name: 'Save' }))
    const again = await screen.findByRole('dialog', { name: 'Save' })
    await user.click(await within(again).findByRole('button', { name: 'Save' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('PATCH', '/1', '"5"', {
        prices: [
          { months: 1, amount: '15.00' },
          { months: 12, amount: '120.00' },
        ],
      }),
    )
    await waitFor(() => expect(router.state.location.pathname).toBe('/admin/plans'))
  })

  it('asks nothing where no price changes, and shows the plan as customers see it', async () => {
    const { user } = await openSignedIn('/admin/plans/1')
    const preview = await screen.findByRole('region', { name: 'As customers see it' })
    expect(within(preview).getByText('Plan 1')).toBeVisible()
    const devices = await field(/^Devices/)
    await user.type(devices, '3')
    await user.clear(await field(/^Traffic per month/))
    expect(within(preview).getByText('Unlimited traffic')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('PATCH', '/1', '"5"', { traffic_bytes: 0, devices: 3 }),
    )
  })

  it('chooses node groups by the nodes that are in them', async () => {
    const group = (id: number, ...names: string[]) => ({
      class: 0,
      group_id: id,
      nodes: names.map((name, index) => ({ id: index + 1, name })),
    })
    server.use(
      ...asStaff('plan.read', 'plan.write', 'node.read'),
      http.get('*/api/v2/staff/node-groups', () =>
        success({
          groups: [
            group(0, 'Paris'),
            group(1, 'Tokyo', 'Osaka', 'Kyoto', 'Nara'),
            group(2, 'Rome'),
          ],
          link_groups: [],
          relays: [],
        }),
      ),
    )
    const { user } = await openSignedIn('/admin/plans/1')
    const groups = within(await screen.findByRole('group', { name: 'Node groups' }))
    expect(
      await groups.findByRole('checkbox', { name: 'Group 1: Tokyo, Osaka, Kyoto +1' }),
    ).toBeChecked()
    expect(groups.getByRole('checkbox', { name: 'Group 3, without nodes' })).toBeChecked()
    await user.click(groups.getByRole('checkbox', { name: 'Group 2: Rome' }))
    await user.click(groups.getByRole('checkbox', { name: 'Group 3, without nodes' }))
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(sent).toHaveBeenCalledWith('PATCH', '/1', '"5"', { groups: [1, 2] }))
  })

  it('takes node groups by number of who may not read nodes', async () => {
    const { user } = await openSignedIn('/admin/plans/1')
    const groups = await field('Numbers of node groups')
    expect(groups).toHaveValue('1,3')
    await user.type(groups, ', 4')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('PATCH', '/1', '"5"', { groups: [1, 3, 4] }),
    )
  })

  it('copies a plan with its prices and limits', async () => {
    const { user } = await openSignedIn('/admin/plans/new?copy=1')
    expect(await field('Name')).toHaveValue('Plan 1 (copy)')
    await user.click(screen.getByRole('button', { name: 'Put it into the shop' }))
    await waitFor(() => expect(sent).toHaveBeenCalled())
    expect(sent.mock.calls[0]?.[3]).toMatchObject({
      kind: 'plan',
      name: 'Plan 1 (copy)',
      traffic_bytes: 100 * GB,
      groups: [1, 3],
      stock: -1,
      prices: [
        { months: 1, amount: '15.00' },
        { months: 12, amount: '150.00' },
      ],
    })
  })

  it('asks of a package only what a package has', async () => {
    const { user } = await openSignedIn('/admin/plans/new')
    await user.click(await screen.findByRole('radio', { name: 'Traffic package' }))
    await user.type(await field('Name'), '50 GB')
    await user.clear(await field(/^Traffic, GB/))
    await user.type(await field(/^Traffic, GB/), '50')
    await user.type(await field('Price'), '9.90')
    expect(screen.queryByRole('combobox', { name: 'Traffic begins anew' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Put it into the shop' }))
    await waitFor(() => expect(sent).toHaveBeenCalled())
    expect(sent.mock.calls[0]?.[3]).toMatchObject({
      kind: 'package',
      traffic_bytes: 50 * GB,
      prices: [{ months: 0, amount: '9.90' }],
    })
  })

  it('is only shown to who may not change it', async () => {
    server.use(...asStaff('plan.read'))
    await openSignedIn('/admin/plans/1')
    expect(await screen.findByRole('region', { name: 'As customers see it' })).toBeVisible()
    expect(screen.queryByRole('textbox')).toBeNull()
  })
})
