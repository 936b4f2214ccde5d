import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { UserNote } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { session } from '@/lib/session/current-session'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'
import { accessToken, refreshToken } from '@/test/tokens'
import { staffUser } from './staff-user.fixture'

const sent = vi.fn<(path: string, body: unknown) => void>()
let notes: UserNote[]

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  sent.mockClear()
  notes = []
  server.use(
    ...asStaff(
      'user.read',
      'user.recover',
      'user.close',
      'user.note',
      'user.label',
      'plan.read',
      'service.give',
      'service.end',
    ),
    http.get('*/api/v2/staff/users/9', () => success(staffUser())),
    http.get('*/api/v2/staff/plans', () =>
      success([{ id: 2, kind: 'plan', name: 'Standard', version: '1' }]),
    ),
    http.get('*/api/v2/staff/users/9/notes', () => success(notes)),
    http.post('*/api/v2/staff/users/9/notes', async ({ request }) => {
      const { text } = (await request.json()) as { text: string }
      const note = { id: notes.length + 1, text, created_at: new Date().toISOString() }
      notes = [note, ...notes]
      return success(note)
    }),
    http.delete('*/api/v2/staff/users/9/notes/:id', () => {
      notes = []
      return success({})
    }),
    http.post('*/api/v2/staff/users/9/*', async ({ request }) => {
      sent(new URL(request.url).pathname.split('/users/9/')[1] ?? '', await request.json())
      return success({})
    }),
  )
})

type User = Awaited<ReturnType<typeof openSignedIn>>['user']

async function choose(user: User, subject: string, action: string) {
  await user.click(await screen.findByRole('button', { name: `Actions for ${subject}` }))
  await user.click(await screen.findByRole('menuitem', { name: action, hidden: true }))
  return screen.findByRole('dialog', { name: action })
}

it('a ban without an end says so', async () => {
  const ban = {
    id: 1,
    reason: 'Resold',
    remark: '',
    by: null,
    starts_at: inDays(-1),
    ends_at: null,
  }
  const bans = [{ ...ban, ended_at: null, ended_by: null }] as never
  server.use(http.get('*/api/v2/staff/users/9', () => success(staffUser({ bans }))))
  await openSignedIn('/admin/users/9')
  expect(await screen.findByText(/– no end/)).toBeVisible()
})

describe('what staff may do with a user', () => {
  it('resets the link with a reason', async () => {
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await choose(user, 'lin@example.com', 'Reset the link')
    const reason = await within(dialog).findByRole('textbox', { name: /^Reason/ })
    await waitFor(() => expect(reason).toHaveFocus())
    await user.keyboard('It leaked')
    await user.click(within(dialog).getByRole('button', { name: 'Reset the link' }))
    await waitFor(() => expect(sent).toHaveBeenCalledWith('link/reset', { reason: 'It leaked' }))
  })

  it('keeps what was typed into a dialog that was closed, until it is sent', async () => {
    const { user } = await openSignedIn('/admin/users/9')
    const typeReason = async (action: string, text: string) => {
      const dialog = await choose(user, 'lin@example.com', action)
      const reason = await within(dialog).findByRole('textbox', { name: /^Reason/ })
      if (text) await user.type(reason, text)
      return { dialog, reason }
    }
    const closeByKey = async () => {
      await user.keyboard('{Escape}')
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    }
    await typeReason('Reset the link', 'It leaked')
    await closeByKey()

    const other = await typeReason('End all sessions', '')
    expect(other.reason).toHaveValue('')
    await closeByKey()

    const again = await typeReason('Reset the link', ' in a group')
    expect(again.reason).toHaveValue('It leaked in a group')
    await user.click(within(again.dialog).getByRole('button', { name: 'Reset the link' }))
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('link/reset', { reason: 'It leaked in a group' }),
    )
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())

    const next = await typeReason('Reset the link', '')
    expect(next.reason).toHaveValue('')
  })

  it('closes what an earlier try has done without an answer, and says so', async () => {
    const said = 'This was done already'
    server.use(
      http.post('*/api/v2/staff/users/9/link/reset', () =>
        failure(409, { message: said, code: 'already_received' }),
      ),
    )
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await choose(user, 'lin@example.com', 'Reset the link')
    await user.type(await within(dialog).findByRole('textbox', { name: /^Reason/ }), 'It leaked')
    await user.click(within(dialog).getByRole('button', { name: 'Reset the link' }))
    expect(await screen.findByText(said)).toBeVisible()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('warns once before another reason is sent after a try without an answer', async () => {
    server.use(
      http.post('*/api/v2/staff/users/9/link/reset', () => HttpResponse.error(), { once: true }),
    )
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await choose(user, 'lin@example.com', 'Reset the link')
    const reason = await within(dialog).findByRole('textbox', { name: /^Reason/ })
    const button = within(dialog).getByRole('button', { name: 'Reset the link' })
    await user.type(reason, 'It leaked')
    await user.click(button)
    expect(await within(dialog).findByText(/^No answer came/)).toBeVisible()
    await user.type(reason, ' in a group')
    await user.click(button)
    expect(await within(dialog).findByText(/^An earlier try had no answer/)).toBeVisible()
    expect(sent).not.toHaveBeenCalled()
    await user.click(button)
    await waitFor(() =>
      expect(sent).toHaveBeenCalledExactlyOnceWith('link/reset', {
        reason: 'It leaked in a group',
      }),
    )
  })

  it('clears a note that an earlier try has kept without an answer', async () => {
    const said = 'The note was kept already'
    server.use(
      http.post('*/api/v2/staff/users/9/notes', () =>
        failure(409, { message: said, code: 'already_received' }),
      ),
    )
    const { user } = await openSignedIn('/admin/users/9')
    const note = await screen.findByRole('textbox', { name: /^A note for staff/ })
    await user.type(note, 'Called back')
    await user.click(screen.getByRole('button', { name: 'Add' }))
    expect(await screen.findByText(said)).toBeVisible()
    expect(note).toHaveValue('')
  })

  describe('a note that was begun', () => {
    const field = () => screen.findByRole('textbox', { name: /^A note for staff/ })
    const stored = () => JSON.stringify(Object.entries(localStorage))

    it('is there again after another page, and not on the page of another user', async () => {
      server.use(
        http.get('*/api/v2/staff/users/10', () => success({ ...staffUser(), id: 10 })),
        http.get('*/api/v2/staff/users/10/notes', () => success([])),
      )
      const { user, router } = await openSignedIn('/admin/users/9')
      await user.type(await field(), 'Called back')
      await router.navigate({ href: '/admin/users/10' })
      await waitFor(async () => expect(await field()).toHaveValue(''))
      await router.navigate({ href: '/admin' })
      await waitFor(() => expect(screen.queryByRole('region', { name: 'Notes' })).toBeNull())
      await router.navigate({ href: '/admin/users/9' })
      expect(await field()).toHaveValue('Called back')
    })

    it('outlives the session that ends while it is sent, and goes once it was added', async () => {
      const unauthorized = () => failure(401, { message: 'Sign in', code: 'unauthenticated' })
      server.use(
        http.post('*/api/v2/staff/users/9/notes', unauthorized, { once: true }),
        http.post('*/api/v2/auth/jwt_token/jwt_access_refresh', unauthorized),
      )
      const { user, router } = await openSignedIn('/admin/users/9')
      await user.type(await field(), 'Called back')
      await user.click(screen.getByRole('button', { name: 'Add' }))
      await waitFor(() => expect(router.state.location.pathname).toBe('/auth/sign-in'))
      await waitFor(() => expect(stored()).toContain('Called back'))
      session.signIn({ access_token: accessToken(), refresh_token: refreshToken() })
      await router.navigate({ href: '/admin/users/9' })
      expect(await field()).toHaveValue('Called back')
      await user.click(screen.getByRole('button', { name: 'Add' }))
      await waitFor(() => expect(notes.map(({ text }) => text)).toEqual(['Called back']))
      expect(await field()).toHaveValue('')
      expect(stored()).not.toContain('Called back')
    })

    it('stands before what was written since where it is refused', async () => {
      let refuse: () => void = () => undefined
      const asked = new Promise<void>((done) => (refuse = done))
      server.use(
        http.post('*/api/v2/staff/users/9/notes', async () => {
          await asked
          return failure(400, { message: 'Not now', code: 'not_now' })
        }),
      )
      const { user } = await openSignedIn('/admin/users/9')
      await user.type(await field(), 'Called back')
      await user.click(screen.getByRole('button', { name: 'Add' }))
      await user.type(await field(), 'Wrote')
      refuse()
      expect(await screen.findByText('Not now')).toBeVisible()
      expect(await field()).toHaveValue('Called back\n\nWrote')
    })
  })

  it('extends a service, and says when a second member is needed', async () => {
    server.use(
      http.post('*/api/v2/staff/users/9/service-gifts', async ({ request }) => {
        sent('service-gifts', await request.json())
        return failure(403, { message: 'wait', code: 'second_member_needed' })
      }),
    )
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await choose(user, 'Standard #5', 'Extend')
    await user.type(await within(dialog).findByRole('textbox', { name: /^Reason/ }), 'An outage')
    await user.click(within(dialog).getByRole('button', { name: 'Extend' }))
    expect(await within(dialog).findByText(/second member/)).toBeVisible()
    expect(sent).toHaveBeenCalledWith('service-gifts', {
      kind: 'extend',
      service_id: 5,
      days: 30,
      reason: 'An outage',
    })
  })

  it('says that an adjustment beyond the limit waits, and not that the balance changed', async () => {
    server.use(
      ...asStaff('user.read', 'money.adjustment.make'),
      http.post('*/api/v2/staff/wallet-adjustments', () =>
        success({ id: 3, user_id: 9, amount: '5000.00', state: 'pending', waits: true }),
      ),
    )
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await choose(user, 'lin@example.com', 'Adjust the balance')
    await user.type(await within(dialog).findByRole('textbox', { name: /^Amount/ }), '5000.00')
    await user.type(within(dialog).getByRole('textbox', { name: /^Reason/ }), 'A large deposit')
    await user.click(within(dialog).getByRole('button', { name: 'Adjust the balance' }))
    expect(await within(dialog).findByText(/second member/)).toBeVisible()
    expect(screen.queryByText(/was adjusted/)).not.toBeInTheDocument()
  })

  it('shows the labels that another member set meanwhile, and overwrites none unseen', async () => {
    let labels = ['reseller']
    server.use(
      http.get('*/api/v2/staff/users/9', () => success(staffUser({ labels }))),
      http.put('*/api/v2/staff/users/9/labels', async ({ request }) => {
        const body = (await request.json()) as { was: string[] }
        sent('labels', body)
        if (body.was.join() === labels.join()) return success({ labels: [] })
        return failure(409, { message: 'Somebody else has changed them', code: 'labels_changed' })
      }),
    )
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await choose(user, 'lin@example.com', 'Change the labels')
    await user.type(await within(dialog).findByRole('textbox', { name: /^Labels/ }), '\nvip')
    labels = ['reseller', 'late']
    await user.click(within(dialog).getByRole('button', { name: 'Change the labels' }))
    expect(await within(dialog).findByText('Somebody else has changed them')).toBeVisible()
    expect(await within(dialog).findByText(/has now: reseller, late/)).toBeVisible()
    await user.click(within(dialog).getByRole('button', { name: 'Change the labels' }))
    await waitFor(() =>
      expect(sent).toHaveBeenLastCalledWith('labels', {
        labels: ['reseller', 'vip'],
        was: ['reseller', 'late'],
      }),
    )
  })

  it('closes the account only once its address is typed', async () => {
    const { user } = await openSignedIn('/admin/users/9')
    const dialog = await choose(user, 'lin@example.com', 'Close the account')
    await user.type(await within(dialog).findByRole('textbox', { name: /^Reason/ }), 'Asked')
    expect(within(dialog).getByText(/¥15\.00 is lost/)).toBeVisible()
    const button = within(dialog).getByRole('button', { name: 'Close the account' })
    expect(button).toBeDisabled()
    await user.type(
      within(dialog).getByRole('textbox', { name: /lin@example\.com/ }),
      'lin@example.com',
    )
    await user.click(button)
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith('close', {
        email: 'lin@example.com',
        forfeit: '15.00',
        reason: 'Asked',
      }),
    )
  })

  it('keeps notes, and brings a removed one back', async () => {
    const { user } = await openSignedIn('/admin/users/9')
    const region = await screen.findByRole('region', { name: 'Notes' })
    await user.type(within(region).getByRole('textbox'), 'A reseller')
    await user.click(within(region).getByRole('button', { name: 'Add' }))
    await waitFor(() => expect(notes).toHaveLength(1))
    await waitFor(() =>
      expect(within(region).getByRole('button', { name: 'Remove the note' })).toBeEnabled(),
    )
    await user.click(within(region).getByRole('button', { name: 'Remove the note' }))
    await waitFor(() => expect(notes).toHaveLength(0))
    await user.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(notes.map(({ text }) => text)).toEqual(['A reseller']))
  })
})
