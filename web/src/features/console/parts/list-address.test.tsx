import { screen } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, expect, it } from 'vitest'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

beforeEach(() => {
  server.use(
    ...asStaff('order.read', 'console.view'),
    http.get('*/api/v2/staff/orders', () => success({ rows: [], next_cursor: '' })),
    http.get('*/api/v2/staff/orders/count', () => success({ rows: 0, approximate: false })),
  )
})

it('a part of the address that is not the list’s is no filter: nothing to clear, nothing to save', async () => {
  await openSignedIn('/admin/orders?lang=en&utm_source=mail')
  expect(await screen.findByText('There are no orders yet.')).toBeVisible()
  expect(screen.queryByText('Nothing matches these filters.')).not.toBeInTheDocument()
  expect(screen.queryByRole('button', { name: 'Save view' })).not.toBeInTheDocument()
})

it('a filter of the list is one beside it', async () => {
  await openSignedIn('/admin/orders?lang=en&state=paid')
  expect(await screen.findByRole('button', { name: 'Clear filters' })).toBeVisible()
  expect(await screen.findByRole('button', { name: 'Save view' })).toBeVisible()
})
