import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, expect, it, vi } from 'vitest'
import { keepFocus } from '@/app/keep-focus'
import type { OwnRole, RoleList, StaffMember } from '@/lib/api/gen/staff/types.gen'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'

const member: StaffMember = {
  id: 7,
  email: 'night@example.com',
  name: 'Night',
  role: 'Night shift',
  is_banned: false,
  authenticator: true,
  passkeys: 2,
  sessions: 3,
  seen_at: inDays(-1),
  given_today: '12.00',
  daily_limit: '100.00',
  may_change: true,
  version: '41',
}
const owner: StaffMember = {
  ...member,
  id: 1,
  email: 'owner@example.com',
  role: 'owner',
  authenticator: false,
  passkeys: 0,
  may_change: false,
}
const night: OwnRole = {
  id: 4,
  name: 'Night shift',
  permissions: ['staff.role.read', 'ticket.read'],
  unknown: ['future.thing'],
  members: 1,
  may_give: true,
  created_at: inDays(-3),
  version: '12',
}
const builtIn = (name: string, mayGive: boolean): OwnRole => ({
  ...night,
  id: 0,
  name,
  unknown: [],
  may_give: mayGive,
  created_at: null,
  version: '',
})
const permission = (name: string, allows: string, isDangerous = false, mayGive = true) => ({
  permission: name,
  allows,
  is_dangerous: isDangerous,
  is_always: name === 'staff.role.read',
  may_give: mayGive,
})
const list: RoleList = {
  roles: [builtIn('owner', false), builtIn('viewer', true), night],
  areas: [
    {
      name: 'Tickets',
      permissions: [
        permission('ticket.read', 'see tickets'),
        permission('ticket.answer', 'answer tickets'),
      ],
    },
    {
      name: 'Money',
      permissions: [
        permission('money.refund', 'pay back', true),
        permission('gateway.write', 'change gateways', true, false),
        permission('staff.role.read', 'see the own role'),
      ],
    },
  ],
}

const sent = vi.fn<(call: { call: string; version: string | null; body: unknown }) => void>()

const taking =
  (answer: object) =>
  async ({ request }: { request: Request }) => {
    const text = await request.text()
    const { pathname, search } = new URL(request.url)
    sent({
      call: `${request.method} ${pathname.replace('/api/v2/staff', '')}${search}`,
      version: request.headers.get('If-Match'),
      body: text ? JSON.parse(text) : undefined,
    })
    return success(answer)
  }

const staff = '*/api/v2/staff'

beforeEach(() => {
  sent.mockClear()
  server.use(
    ...asStaff('staff.member.read', 'staff.member.write', 'staff.role.write', 'audit.read'),
    http.get(`${staff}/members`, () => success([{ ...member, version: '' }, owner])),
    http.get(`${staff}/members/7`, () => success(member)),
    http.post(`${staff}/members`, taking(member)),
    http.put(`${staff}/members/7`, taking(member)),
    http.delete(`${staff}/members/7`, taking({})),
    http.get(`${staff}/roles`, () => success(list)),
    http.post(`${staff}/roles`, taking(night)),
    http.put(`${staff}/roles/4`, taking(night)),
  )
})

it('gives a member another role, of those that are theirs to give, from the version that was read', async () => {
  const { user } = await openSignedIn('/admin/staff')
  const row = await screen.findByRole('row', { name: /night@example.com/ })
  expect(within(row).getByText('Authenticator, 2 passkeys')).toBeVisible()
  expect(
    within(await screen.findByRole('row', { name: /owner@example.com/ })).getByText('None'),
  ).toBeVisible()
  await user.click(await screen.findByRole('button', { name: 'Actions for night@example.com' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Change role', hidden: true }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Change role' }))
  const choice = await dialog.findByRole('combobox', { name: /^Role/ })
  expect(dialog.queryByRole('option', { name: 'Owner' })).toBeNull()
  await user.selectOptions(choice, 'viewer')
  await user.type(dialog.getByRole('textbox', { name: /^Reason/ }), 'Back to days')
  await user.click(dialog.getByRole('button', { name: 'Change role' }))
  await waitFor(() =>
    expect(sent).toHaveBeenCalledWith({
      call: 'PUT /members/7',
      version: '"41"',
      body: { role: 'viewer', reason: 'Back to days' },
    }),
  )
})

it('shows what a member may do, what was given today and where the changes are', async () => {
  await openSignedIn('/admin/staff/7')
  expect(await screen.findByText('see tickets')).toBeVisible()
  expect(screen.getByText(/future.thing/)).toBeVisible()
  expect(screen.getByRole('link', { name: 'Their changes in the audit log' })).toHaveAttribute(
    'href',
    '/admin/audit-log?member=7',
  )
})

it('changes a role, keeps what it does not know and offers nothing that is not theirs to give', async () => {
  const { user } = await openSignedIn('/admin/roles/4')
  await user.click(await screen.findByRole('switch', { name: /^Pay back/ }))
  expect(screen.queryByRole('switch', { name: /^Change gateways/ })).toBeNull()
  expect(screen.queryByRole('switch', { name: /^See the own role/ })).toBeNull()
  await user.type(screen.getByRole('textbox', { name: /^Reason/ }), 'Refunds at night')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Save' }))
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() =>
    expect(sent).toHaveBeenCalledWith({
      call: 'PUT /roles/4',
      version: '"12"',
      body: {
        permissions: ['ticket.read', 'money.refund', 'future.thing'],
        reason: 'Refunds at night',
      },
    }),
  )
})

it('makes a role like another one', async () => {
  const { user } = await openSignedIn('/admin/roles/new?from=4')
  expect(await screen.findByRole('switch', { name: /^See tickets/ })).toBeChecked()
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'Weekend')
  await user.type(screen.getByRole('textbox', { name: /^Reason/ }), 'New shift')
  await user.click(screen.getByRole('button', { name: 'Make the role' }))
  await waitFor(() =>
    expect(sent).toHaveBeenCalledWith({
      call: 'POST /roles',
      version: null,
      body: { name: 'Weekend', permissions: ['ticket.read'], reason: 'New shift' },
    }),
  )
})

it('leads to the list, without a draft, where an earlier try has made a role without an answer', async () => {
  const said = 'This was done already'
  server.use(
    http.post(`${staff}/roles`, () => HttpResponse.error(), { once: true }),
    http.post(`${staff}/roles`, () => failure(409, { message: said, code: 'already_received' })),
  )
  const { user, router } = await openSignedIn('/admin/roles/new?from=4')
  await user.type(await screen.findByRole('textbox', { name: /^Name/ }), 'Weekend')
  await user.type(screen.getByRole('textbox', { name: /^Reason/ }), 'New shift')
  const drafts = () =>
    Object.keys(sessionStorage).filter((key) => key.startsWith('console-draft:7:role:new'))
  await user.click(screen.getByRole('button', { name: 'Make the role' }))
  expect(await screen.findByText(/safe to try again/)).toBeVisible()
  expect(drafts()).toHaveLength(1)
  await user.click(screen.getByRole('button', { name: 'Make the role' }))
  expect(await screen.findByText(said)).toBeVisible()
  await waitFor(() => expect(router.state.location.href).toBe('/admin/roles'))
  expect(drafts()).toEqual([])
})

it('shows a built-in role and changes it not', async () => {
  await openSignedIn('/admin/roles/viewer')
  expect(await screen.findByText('see tickets')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
})

it('leads who is in no network of staff to the page that says so', async () => {
  server.use(
    http.get(`${staff}/role`, () =>
      failure(403, { message: 'Your address is in none of them', code: 'staff_network' }),
    ),
  )
  await openSignedIn('/admin/staff')
  expect(await screen.findByText('Your address is in none of them')).toBeVisible()
})

it('the menu of a row has the focus begin at its first item, so that Enter and Enter again runs it', async () => {
  const { user } = await openSignedIn('/admin/staff')
  await user.click(await screen.findByRole('button', { name: /night@example\.com/ }))
  const [first] = await screen.findAllByRole('menuitem', { hidden: true })
  // What it names first gets the focus; jsdom does not draw the menu.
  expect(first?.parentElement?.querySelector('[data-autofocus]')).toBe(first)
})

it('a member who is removed with the mouse leaves the focus in the page', async () => {
  keepFocus()
  const { user } = await openSignedIn('/admin/staff')
  await user.click(await screen.findByRole('button', { name: /night@example\.com/ }))
  await user.click(await screen.findByRole('menuitem', { name: /Remove/, hidden: true }))
  const dialog = await screen.findByRole('dialog')
  await user.type(within(dialog).getByLabelText(/Reason/), 'Left')
  server.use(http.get(`${staff}/members`, () => success([owner])))
  await user.click(within(dialog).getByRole('button', { name: /Remove/ }))
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  await waitFor(() => expect(document.body).not.toHaveFocus())
  expect(screen.getByRole('main')).toContainElement(document.activeElement as HTMLElement)
})
