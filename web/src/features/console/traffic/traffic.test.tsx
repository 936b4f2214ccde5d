import { screen } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { expect, it, vi } from 'vitest'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const GB = 1024 ** 3

const successList = (result: unknown[]) =>
  HttpResponse.json({ is_success: true, message: '', result_list: result })

it('ranks users, and adds up by node where the address says so', async () => {
  const asked: string[] = []
  server.use(
    ...asStaff('overview.read', 'traffic.total.read', 'user.read'),
    http.get('*/api/v2/staff/overview', () =>
      success({
        from: '2026-01-01T00:00:00Z',
        as_of: '2026-01-08T00:00:00Z',
        before: '2025-12-25T00:00:00Z',
        figures: [],
        steps: [],
        days: [
          { begins_at: '2026-01-06T00:00:00Z', revenue: null, moved_bytes: GB, billed_bytes: GB },
        ],
      }),
    ),
    http.get('*/api/v2/staff/statistics/growth', () =>
      successList([
        {
          begins_at: '2026-01-01T00:00:00Z',
          up_bytes: GB,
          down_bytes: GB,
          billed_bytes: GB,
          expected_bytes: 4 * GB,
          change_percent: 12,
        },
      ]),
    ),
    http.get('*/api/v2/staff/users/count', () => success({ rows: 7, approximate: false })),
    http.get('*/api/v2/staff/statistics/users', ({ request }) => {
      asked.push(new URL(request.url).search)
      return success({
        users: [
          { user_id: 9, email: 'eve@example.com', up_bytes: GB, down_bytes: GB, billed_bytes: GB },
        ],
        total_count: 1,
      })
    }),
    http.get('*/api/v2/staff/statistics/users/parquet', ({ request }) =>
      HttpResponse.text(`PAR1 from ${new URL(request.url).searchParams.get('from')}`),
    ),
    http.get('*/api/v2/staff/statistics/traffic', () =>
      successList([
        { key: '4', name: '香港 01', up_bytes: GB, down_bytes: 2 * GB, billed_bytes: GB },
      ]),
    ),
  )
  const files: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    files.push(file as Blob)
    return 'blob:file'
  })
  const { user } = await openSignedIn('/admin/traffic')
  const eve = await screen.findByRole('link', { name: 'eve@example.com' })
  expect(eve.getAttribute('href')).toBe('/admin/users/9')
  expect(asked[0]).toContain('from=2026-01-01')
  expect(screen.getByText(/7 users/).getAttribute('href')).toMatch(/used=80/)
  expect(screen.getByText(/\+12%/)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Parquet' }))
  await vi.waitFor(() => expect(files).toHaveLength(1))
  expect(await files[0]?.text()).toBe('PAR1 from 2026-01-01T00:00:00Z')
  await user.click(screen.getByRole('radio', { name: 'Node' }))
  expect(await screen.findByRole('link', { name: '香港 01' })).toBeVisible()
})
