import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'
import { staffUser } from './staff-user.fixture'

const sent = vi.fn<(path: string, body: unknown) => void>()
const other = () => staffUser({ id: 12, email: 'lin2@example.com', services: [] })

beforeEach(() => {
  sent.mockClear()
  server.use(
    ...asStaff('user.read', 'user.merge'),
    http.get('*/api/v2/staff/users', () => success({ rows: [other()], next_cursor: '' })),
    http.get('*/api/v2/staff/users/9', () => success(staffUser())),
    http.get('*/api/v2/staff/users/12', () => success(other())),
    http.post('*/api/v2/staff/users/:id/merge', async ({ request }) => {
      sent(new URL(request.url).pathname.split('/users/')[1] ?? '', await request.json())
      return success({})
    }),
  )
})

type User = Awaited<ReturnType<typeof openSignedIn>>['user']

const title = 'Merge with another account'

async function find(user: User, typed: string) {
  await user.click(await screen.findByRole('button', { name: 'Actions for lin@example.com' }))
  await user.click(await screen.findByRole('menuitem', { name: title, hidden: true }))
  const dialog = await screen.findByRole('dialog', { name: title })
  await user.type(await within(dialog).findByRole('textbox', { name: /other account/ }), typed)
  await user.click(within(dialog).getByRole('button', { name: 'Find' }))
  return dialog
}

describe('the merge of two accounts', () => {
  it('shows both, proposes the one with a service to stay, and asks for the address of the other', async () => {
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await find(user, 'LIN2@example.com')
    expect(await within(dialog).findByRole('radio', { name: 'lin@example.com #9' })).toBeChecked()
    expect(within(dialog).getByRole('radio', { name: 'lin2@example.com #12' })).not.toBeChecked()
    expect(within(dialog).getByText('Standard')).toBeVisible()
    await user.click(within(dialog).getByRole('button', { name: 'Continue' }))

    const confirm = await screen.findByRole('dialog', { name: title })
    const effect = await within(confirm).findByText(/lin2@example.com becomes part of lin@/)
    expect(effect).toHaveTextContent(/balance of ¥12\.00, commission of ¥3\.00/)
    await user.type(within(confirm).getByRole('textbox', { name: /^Reason/ }), 'One person')
    const button = within(confirm).getByRole('button', { name: title })
    expect(button).toBeDisabled()
    await user.type(within(confirm).getByRole('textbox', { name: /lin2@/ }), 'lin2@example.com')
    await user.click(button)
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('12/merge', {
        into_id: 9,
        email: 'lin2@example.com',
        reason: 'One person',
      }),
    )
  })

  it('says at once that an account with a running service cannot be the one that ends', async () => {
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await find(user, '12')
    await user.click(await within(dialog).findByRole('radio', { name: 'lin2@example.com #12' }))
    expect(within(dialog).getByText(/^lin@example\.com cannot end .* Standard #5:/)).toBeVisible()
    expect(within(dialog).getByRole('button', { name: 'Continue' })).toBeDisabled()
    await user.click(within(dialog).getByRole('radio', { name: 'lin@example.com #9' }))
    expect(within(dialog).getByRole('button', { name: 'Continue' })).toBeEnabled()
  })

  it('lets the other account stay, and says what stands in the way', async () => {
    server.use(
      http.get('*/api/v2/staff/users/9', () => success(staffUser({ services: [] }))),
      http.post('*/api/v2/staff/users/9/merge', async ({ request }) => {
        sent('9/merge', await request.json())
        return failure(409, {
          message: 'user #9: unpaid orders #5',
          code: 'merge_blocked',
        })
      }),
    )
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await find(user, '12')
    await user.click(
      await within(dialog).findByRole('radio', {
        name: 'lin2@example.com #12',
      }),
    )
    await user.click(within(dialog).getByRole('button', { name: 'Continue' }))
    const confirm = await screen.findByRole('dialog', { name: title })
    await user.type(await within(confirm).findByRole('textbox', { name: /^Reason/ }), 'One person')
    await user.type(within(confirm).getByRole('textbox', { name: /lin@/ }), 'lin@example.com')
    await user.click(within(confirm).getByRole('button', { name: title }))
    expect(await within(confirm).findByText(/unpaid orders #5/)).toBeVisible()
    expect(sent).toHaveBeenCalledWith('9/merge', {
      into_id: 12,
      email: 'lin@example.com',
      reason: 'One person',
    })
  })

  it('finds neither nobody nor the account itself', async () => {
    server.use(
      http.get('*/api/v2/staff/users', () => success({ rows: [staffUser()], next_cursor: '' })),
    )
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await find(user, 'nobody@example.com')
    expect(await within(dialog).findByText('There is no such user.')).toBeVisible()
    const field = within(dialog).getByRole('textbox', {
      name: /other account/,
    })
    await user.clear(field)
    await user.type(field, '#9')
    await user.click(within(dialog).getByRole('button', { name: 'Find' }))
    expect(await within(dialog).findByText('This is the account itself.')).toBeVisible()
  })

  it('leads from each account to the one on the other side', async () => {
    const at = new Date().toISOString()
    server.use(
      http.get('*/api/v2/staff/users/9', () =>
        success(
          staffUser({
            merged_into: { id: 4, at },
            merged_from: [{ id: 12, at }],
          }),
        ),
      ),
    )
    await openSignedIn('/admin/users/9')
    expect(await screen.findByRole('link', { name: '#4' })).toHaveAttribute(
      'href',
      '/admin/users/4',
    )
    expect(screen.getByRole('link', { name: '#12' })).toHaveAttribute('href', '/admin/users/12')
  })
})
