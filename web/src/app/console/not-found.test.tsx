import { screen } from '@testing-library/react'
import { http } from 'msw'
import { readdirSync, readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { server, stillLoading, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'
import { formPermissions } from '@/features/console/parts/form-permissions'
import { consolePages } from './navigation'

const routes = readdirSync('src/routes')

type Contract = { paths: Record<string, Record<string, { 'x-permission'?: string }>> }
/** What operations that change something need. */
const needed = Object.values(
  (JSON.parse(readFileSync('../openapi.json', 'utf8')) as Contract).paths,
).flatMap((operations) =>
  Object.entries(operations).flatMap(([method, operation]) =>
    method === 'get' ? [] : operation['x-permission'],
  ),
)

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

describe('a form that the member may not send', () => {
  const permissions = consolePages.flatMap(({ pages }) =>
    pages.flatMap(({ permission }) => permission ?? []),
  )

  it.each(['/admin/nodes/new', '/admin/nodes/1/edit', '/admin/orders/new?user=2'])(
    'is no page at %s, where the list is one',
    async (path) => {
      server.use(...asStaff(...permissions))
      await openSignedIn(path)
      await expectNotFound()
      expect(screen.getByRole('link', { name: 'Back to the console' })).toBeVisible()
    },
  )

  it('is known by what its operation needs, at each address of a form', () => {
    const addresses = routes.filter((path) => /^admin\..*\.(?:new|edit)\.tsx$/.test(path))
    expect(addresses.length).toBeGreaterThan(10)
    for (const file of addresses) {
      const address = `/${file.replace('.tsx', '').replaceAll('.', '/')}`
      expect(formPermissions).toHaveProperty([address])
      expect(needed).toContain(formPermissions[address as keyof typeof formPermissions])
    }
  })
})

it('for a customer nothing is at the addresses of the console', async () => {
  server.use(http.get('*/api/v2/user/get_me', () => success({ is_ban: false, ban: null })))
  await openSignedIn('/admin/orders')
  await expectNotFound()
  expect(screen.queryByRole('link', { name: 'Back to the console' })).toBeNull()
  expect(screen.getAllByRole('navigation', { name: 'Main navigation' })).not.toHaveLength(0)
})
