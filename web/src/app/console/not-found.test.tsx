import { screen } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, expect, it } from 'vitest'
import { server, stillLoading, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

beforeEach(() => server.use(stillLoading))

const expectNotFound = async () => {
  expect(await screen.findByText('404 · Page Not Found')).toBeVisible()
  expect(screen.getAllByRole('main')).toHaveLength(1)
}

it.each(['/admin/no-such-page', '/admin/users/new', '/admin/orders/1/more'])(
  '%s is no page, and says so to a member in the console',
  async (path) => {
    server.use(...asStaff())
    await openSignedIn(path)
    await expectNotFound()
    expect(screen.getByRole('link', { name: 'Back to the console' })).toHaveAttribute(
      'href',
      '/admin',
    )
    expect(screen.getAllByRole('navigation', { name: 'Console navigation' })).not.toHaveLength(0)
  },
)

it('a page that the member may not read is none, and the console says so', async () => {
  server.use(...asStaff('ticket.read'))
  await openSignedIn('/admin/orders')
  await expectNotFound()
  expect(screen.getByRole('link', { name: 'Back to the console' })).toBeVisible()
  expect(screen.getAllByRole('link', { name: 'Tickets' })).not.toHaveLength(0)
})

it('for a customer nothing is at the addresses of the console', async () => {
  server.use(http.get('*/api/v2/user/get_me', () => success({ is_ban: false, ban: null })))
  await openSignedIn('/admin/orders')
  await expectNotFound()
  expect(screen.queryByRole('link', { name: 'Back to the console' })).toBeNull()
  expect(screen.getAllByRole('navigation', { name: 'Main navigation' })).not.toHaveLength(0)
})
