import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ImportedUsers } from '@/lib/api/gen/staff/types.gen'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const sent = vi.fn<(body: unknown) => void>()

const found = (facts: Partial<ImportedUsers>) =>
  success({ added: 0, present: [], wrong: [], wrong_count: 0, ...facts } satisfies ImportedUsers)

const answers = (answer: () => Response) =>
  server.use(
    http.post('*/api/v2/staff/users/import', async ({ request }) => {
      sent(await request.json())
      return answer()
    }),
  )

const csv = 'email,hash\na@example.com,$2y$10$x\n'

beforeEach(() => {
  sent.mockClear()
  server.use(...asStaff('user.read', 'user.import'))
})

async function choose(text = csv) {
  const { user } = await openSignedIn('/admin/users/import')
  await user.upload(
    await screen.findByLabelText('CSV file'),
    new File([text], 'users.csv', { type: 'text/csv' }),
  )
  return user
}

describe('the import of users', () => {
  it('says which columns and hashes are understood', async () => {
    await openSignedIn('/admin/users/import')
    const columns = await screen.findByRole('region', { name: 'Columns' })
    for (const name of ['email', 'hash', 'name', 'kind', 'salt'])
      expect(within(columns).getByText(name)).toBeVisible()
    expect(screen.getByText('sha256salt')).toBeVisible()
  })

  it('checks the file, and adds its users once that was confirmed', async () => {
    answers(() => found({ added: 2, present: ['old@example.com'] }))
    const user = await choose()
    const submit = await screen.findByRole('button', { name: 'Import' })
    expect(sent.mock.calls).toEqual([[{ csv, dry_run: true }]])

    await user.click(submit)
    const dialog = await screen.findByRole('dialog', { name: 'Import' })
    expect(await within(dialog).findByText(/^2 users are added/)).toBeVisible()
    await user.click(within(dialog).getByRole('button', { name: 'Import' }))

    expect(await screen.findByText('2 users were added.')).toBeVisible()
    expect(sent).toHaveBeenLastCalledWith({ csv })
    const present = screen.getByRole('region', { name: 'Have an account already' })
    expect(await within(present).findByRole('link', { name: /old@example.com/ })).toHaveAttribute(
      'href',
      '/admin/users?q=old%40example.com',
    )
  })

  it('lists what is wrong, and imports nothing', async () => {
    answers(() =>
      found({
        added: 1,
        wrong: [{ line: 3, field: 'kind', message: 'No such kind' }],
        wrong_count: 700,
      }),
    )
    await choose()
    const table = await screen.findByRole('table', { name: 'What is wrong' })
    const row = await within(table).findByRole('row', { name: /No such kind/ })
    expect(row).toHaveTextContent(/3.*kind/)
    expect(screen.getByRole('alert')).toHaveTextContent(/The first 1 of what is wrong/)
    expect(screen.queryByRole('button', { name: 'Import' })).toBeNull()
  })

  it('says why a file cannot be read', async () => {
    answers(() =>
      failure(422, {
        message: 'Some of the input is wrong',
        code: 'invalid_input',
        errors: [{ field: 'csv', code: 'head', message: 'There is no column hash' }],
      }),
    )
    await choose('email\n')
    expect(await screen.findByText('There is no column hash')).toBeVisible()
  })

  it('sends no file that is too large', async () => {
    await choose('x'.repeat(4_000_001))
    expect(await screen.findByText(/larger than 4 MB/)).toBeVisible()
    expect(sent).not.toHaveBeenCalled()
  })
})

describe('the list of users', () => {
  beforeEach(() => {
    server.use(
      http.get('*/api/v2/staff/users/count', () => success({ rows: 0, approximate: false })),
      http.get('*/api/v2/staff/users', () => success({ rows: [], next_cursor: '' })),
    )
  })

  it('leads to the import', async () => {
    await openSignedIn('/admin/users')
    expect(await screen.findByRole('link', { name: 'Import' })).toHaveAttribute(
      'href',
      '/admin/users/import',
    )
    expect(screen.queryByRole('link', { name: 'Import users' })).toBeNull()
  })

  it('does not lead there who may not import', async () => {
    server.use(...asStaff('user.read', 'user.add'))
    await openSignedIn('/admin/users')
    await screen.findByRole('button', { name: 'Add a user' })
    expect(screen.queryByRole('link', { name: 'Import' })).toBeNull()
  })
})
