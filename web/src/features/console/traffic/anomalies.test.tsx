import { screen } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { inDays } from '@/test/fixtures'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const GB = 1024 ** 3

it('lists days of users, and what else stands out by its filter', async () => {
  const rows = {
    user: [
      { user: { id: 9, email: 'eve@example.com' }, at: inDays(-1), value: 60 * GB, usual: 5 * GB },
    ],
    interface: [
      { node: { id: 4, name: '香港 01' }, at: inDays(-1), value: 30 * GB, usual: 10 * GB },
    ],
    networks: [
      { user: { id: 9, email: 'eve@example.com' }, at: inDays(-1), value: 17, usual: null },
    ],
  }
  server.use(
    ...asStaff('user.history.read'),
    http.get('*/api/v2/staff/anomalies', ({ request }) => {
      const kind = (new URL(request.url).searchParams.get('kind') ?? 'user') as keyof typeof rows
      return success({ rows: rows[kind], total_count: 1 })
    }),
  )
  const { user } = await openSignedIn('/admin/anomalies')
  const eve = await screen.findByRole('link', { name: 'eve@example.com' })
  expect(eve.getAttribute('href')).toBe('/admin/users/9')
  expect(screen.getByText('× 12')).toBeVisible()

  await user.click(screen.getByRole('radio', { name: 'Beyond the interface' }))
  const node = await screen.findByRole('link', { name: '香港 01' })
  expect(node.getAttribute('href')).toBe('/admin/nodes/4')
  expect(screen.getByText('× 3')).toBeVisible()

  await user.click(screen.getByRole('radio', { name: 'Link fetched by many' }))
  const fetches = await screen.findByRole('link', { name: '17' })
  expect(fetches.getAttribute('href')).toBe('/admin/link-fetches?user=9')
})
