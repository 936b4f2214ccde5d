import { fireEvent, screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const asked = vi.fn<(search: string) => void>()
const plansAsked = vi.fn<(state: string) => void>()

const plan = (id: number, name: string, name_zh: string, rest = {}) => ({
  id,
  name,
  name_zh,
  name_en: '',
  kind: 'plan',
  state: 'on_sale',
  ...rest,
})

beforeEach(() => {
  asked.mockClear()
  plansAsked.mockClear()
  server.use(
    http.get('*/api/v2/staff/orders', ({ request }) => {
      asked(new URL(request.url).searchParams.get('plan') ?? '')
      return success({ rows: [], next_cursor: '' })
    }),
    http.get('*/api/v2/staff/orders/count', () => success({ rows: 0, approximate: false })),
    http.get('*/api/v2/staff/plans', ({ request }) => {
      const state = new URL(request.url).searchParams.get('state') ?? ''
      plansAsked(state)
      return success(
        state === 'archived'
          ? [plan(7, 'Legacy', '旧版', { state: 'archived' })]
          : [plan(1, 'Light', '轻量'), plan(2, 'Standard', '标准')],
      )
    }),
  )
})

describe('the filter by plan', () => {
  it('offers the plans by name, also archived ones, once it is opened', async () => {
    server.use(...asStaff('order.read', 'plan.read'))
    const { user } = await openSignedIn('/admin/orders')
    await screen.findByText('There are no orders yet.')
    expect(plansAsked).not.toHaveBeenCalled()
    await user.click(screen.getByRole('button', { name: 'Filter' }))
    await user.click(await screen.findByRole('button', { name: 'Plan', hidden: true }))
    expect(await screen.findByRole('checkbox', { name: 'Light', hidden: true })).toBeInTheDocument()
    await user.click(screen.getByRole('checkbox', { name: 'Legacy (archived)', hidden: true }))
    await waitFor(() => expect(asked).toHaveBeenLastCalledWith('7'))
    expect(await screen.findByRole('button', { name: 'Plan Legacy (archived)' })).toBeVisible()
  })

  it('says the name of the plan in the address', async () => {
    server.use(...asStaff('order.read', 'plan.read'))
    await openSignedIn('/admin/orders?plan=2')
    expect(await screen.findByRole('button', { name: 'Plan Standard' })).toBeVisible()
    expect(asked).toHaveBeenLastCalledWith('2')
  })

  it('takes numbers from a member who may not read plans', async () => {
    server.use(...asStaff('order.read'))
    const { user } = await openSignedIn('/admin/orders')
    await user.click(await screen.findByRole('button', { name: 'Filter' }))
    await user.click(
      await screen.findByRole('button', { name: 'Number of the plan', hidden: true }),
    )
    const field = await screen.findByRole('textbox', { name: 'Number of the plan', hidden: true })
    fireEvent.change(field, { target: { value: '2' } })
    fireEvent.submit(field)
    await waitFor(() => expect(asked).toHaveBeenLastCalledWith('2'))
    expect(plansAsked).not.toHaveBeenCalled()
  })
})
