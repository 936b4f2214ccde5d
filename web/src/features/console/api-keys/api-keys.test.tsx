import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, expect, it } from 'vitest'
import type { ApiKey } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const apiKey: ApiKey = {
  id: 3,
  name: 'Grafana',
  hint: 'ask_1234',
  member_id: 1,
  email: 'lin@example.com',
  scopes: ['grafana'],
  works: true,
  created_at: inDays(-9),
  expires_at: null,
  last_used_at: null,
}

beforeEach(() => {
  server.use(
    ...asStaff('api_key.read', 'api_key.write'),
    http.get('*/api/v2/staff/api-keys', () => success([apiKey])),
  )
})

async function make() {
  const { user } = await openSignedIn('/admin/api-keys')
  await user.click(await screen.findByRole('button', { name: 'New key' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'New key' }))
  await user.type(await dialog.findByRole('textbox', { name: 'Name' }), 'Grafana')
  await user.type(dialog.getByRole('textbox', { name: /^Reason/ }), 'Dashboards')
  await user.click(dialog.getByRole('button', { name: 'New key' }))
  return user
}

it('shows the secret of a new key once', async () => {
  server.use(
    http.post('*/api/v2/staff/api-keys', () => success({ key: apiKey, secret: 'ask_made' })),
  )
  await make()
  expect(await screen.findByText('ask_made')).toBeVisible()
})

it('says that the secret was never shown where its answer was lost', async () => {
  server.use(
    http.post('*/api/v2/staff/api-keys', () =>
      failure(409, { message: 'Seen', code: 'already_received' }),
    ),
  )
  await make()
  expect(
    await screen.findByText(/^The secret of “Grafana” was made, but never shown/),
  ).toBeVisible()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})
