import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, expect, it } from 'vitest'
import { keepFound, recentlyFound } from '@/app/console/use-found'
import { staffTicket, staffTicketMessage } from '@/features/console/tickets/staff-ticket.fixture'
import { ApiError } from '@/lib/api/errors'
import { session } from '@/lib/session/current-session'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'
import { accessToken, refreshToken, someone } from '@/test/tokens'
import { sendTry } from './unanswered-tries'

/** The title of the form. */
const TITLE = /^Title in English/
const firstField = () => screen.findByRole('textbox', { name: TITLE })

/** Signs another member in, in the same tab. */
function signInAs(id: number) {
  session.signIn({
    access_token: accessToken({ subject_access: { ...someone, user_id: id } }),
    refresh_token: refreshToken(id),
  })
}

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  server.use(
    ...asStaff('announcement.read', 'announcement.write', 'ticket.read', 'ticket.answer'),
    http.get('*/api/v2/staff/canned-answers', () => success({ canned_answers: [], variables: [] })),
    http.get('*/api/v2/staff/tickets', () =>
      success({ tickets: [staffTicket(12)], total_count: 1 }),
    ),
    http.get('*/api/v2/staff/tickets/:id', () =>
      success({ ticket: staffTicket(12), messages: [staffTicketMessage(1)], has_more: false }),
    ),
  )
})

it('a form that one member began is empty for another, and restored for the first', async () => {
  const { router, user } = await openSignedIn('/admin/announcements/new')
  await user.type(await firstField(), 'Of the first')
  session.signOut()
  await waitFor(() => expect(router.state.location.pathname).toBe('/auth/sign-in'))
  signInAs(8)
  await router.navigate({ to: '/admin/announcements/new' })
  expect(await firstField()).toHaveValue('')
  signInAs(someone.user_id)
  await waitFor(() =>
    expect(screen.getByRole('textbox', { name: TITLE })).toHaveValue('Of the first'),
  )
})

it('a form that is open when another member takes over the session is emptied', async () => {
  const { user } = await openSignedIn('/admin/announcements/new')
  await user.type(await firstField(), 'Of the first')
  signInAs(8)
  await waitFor(() => expect(screen.getByRole('textbox', { name: TITLE })).toHaveValue(''))
  expect(JSON.stringify(Object.entries(sessionStorage))).toContain('Of the first')
})

it('a reply that one member began is not another one’s', async () => {
  const { user } = await openSignedIn('/admin/tickets/12')
  await user.type(await screen.findByLabelText(/Reply to the user/), 'Of the first')
  signInAs(8)
  await waitFor(() => expect(screen.getByLabelText(/Reply to the user/)).toHaveValue(''))
  signInAs(someone.user_id)
  await waitFor(() =>
    expect(screen.getByLabelText(/Reply to the user/)).toHaveValue('Of the first'),
  )
})

it('what one member opened from the palette is not offered to another', () => {
  signInAs(someone.user_id)
  keepFound({ kind: 'users', label: 'lin@example.com', to: '/admin/users/$id' })
  expect(recentlyFound()).toHaveLength(1)
  signInAs(8)
  expect(recentlyFound()).toEqual([])
})

it('a try without an answer warns only the member who made it', async () => {
  const lost = new ApiError('', { status: 0, code: 'network_error', attempt: 'keyed' })
  const send = (amount: string, fails = false) =>
    sendTry('/admin/users/9 adjust', { amount }, 'stopped', async () => {
      if (fails) throw lost
      return 'done'
    }).catch((error: Error) => error.message)
  signInAs(someone.user_id)
  await send('1.00', true)
  signInAs(8)
  expect(await send('2.00')).toBe('done')
  signInAs(someone.user_id)
  expect(await send('2.00')).toBe('stopped')
})
