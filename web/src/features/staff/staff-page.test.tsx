import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { StaffRole } from '@/lib/api/gen/staff/types.gen'
import { failure, server, stillLoading, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const names = {
  owner: 'Owner',
  admin: 'Administrator',
  finance: 'Finance',
  support: 'Support',
  viewer: 'Viewer',
} as const
const roles = Object.entries(names) as [StaffRole['role'], string][]

const asked = vi.fn<() => void>()

function answerAs(role: string, isDue = false) {
  asked.mockClear()
  server.use(
    http.get('*/api/v2/user/get_me', () =>
      success({ is_ban: false, ban: null, staff_role: role, staff_two_factor_due: isDue }),
    ),
    http.get('*/api/v2/staff/role', () => {
      asked()
      return role
        ? success({
            role,
            areas: [
              {
                name: 'Nodes',
                commands: ['node'],
                permissions: [
                  { permission: 'node.read', allows: `see nodes as ${role}`, in_contract: true },
                ],
              },
              {
                name: 'Links',
                commands: [],
                permissions: [{ permission: 'user.ban', allows: 'ban users', in_contract: false }],
              },
            ],
          } satisfies StaffRole)
        : failure(403, { message: 'Not for you', code: 'forbidden' })
    }),
  )
}

const openMenu = async (user: Awaited<ReturnType<typeof openSignedIn>>['user']) => {
  const [button] = await screen.findAllByRole('button', { name: /^Account menu/, hidden: true })
  await user.click(button ?? document.body)
  return screen.findByRole('menuitem', { name: 'Sign out', hidden: true })
}

const openPalette = async (user: Awaited<ReturnType<typeof openSignedIn>>['user']) => {
  await user.click(
    await screen.findByRole('button', { name: /^Search and commands/, hidden: true }),
  )
  return screen.findByRole('button', { name: 'Copy subscription link' })
}

beforeEach(() => server.use(stillLoading))

describe('what members of staff read about their role', () => {
  it.each(roles)('says what %s may do, with the commands and the calls', async (role, name) => {
    answerAs(role)
    await openSignedIn('/user/account/staff')
    expect(await screen.findByText(name)).toBeVisible()
    const nodes = within(await screen.findByRole('region', { name: 'Nodes' }))
    expect(nodes.getByText(`see nodes as ${role}`)).toBeVisible()
    expect(nodes.getByText('airstrip node --help')).toBeVisible()
    expect(nodes.getByRole('link', { name: 'Calls that need node.read' })).toHaveAttribute(
      'href',
      '/user/developer?tab=reference&q=node.read',
    )
    const links = within(screen.getByRole('region', { name: 'Links' }))
    expect(links.queryByRole('list', { name: 'Commands' })).toBeNull()
    // The reference has nothing of older operations.
    expect(links.getByText('user.ban')).toBeVisible()
    expect(links.queryByRole('link')).toBeNull()
  })

  it.each(roles)('is found by %s in the account menu and the palette', async (role, name) => {
    answerAs(role)
    const { user, router } = await openSignedIn('/user/my-account')
    await openMenu(user)
    await user.click(await screen.findByRole('menuitem', { name: `Staff · ${name}`, hidden: true }))
    await vi.waitFor(() => expect(router.state.location.pathname).toBe('/user/account/staff'))
    await router.navigate({ to: '/user/my-account' })
    await openPalette(user)
    await user.click(await screen.findByRole('button', { name: `Staff · ${name}` }))
    await vi.waitFor(() => expect(router.state.location.pathname).toBe('/user/account/staff'))
  })

  it('says what a role waits for that takes effect with a second factor', async () => {
    answerAs('admin', true)
    await openSignedIn('/user/account/staff')
    expect(await screen.findByText(/takes effect once/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Set it up' })).toHaveAttribute(
      'href',
      '/user/account/security',
    )
    expect(asked).not.toHaveBeenCalled()
  })

  it('says what is wrong, with another try', async () => {
    answerAs('viewer')
    server.use(
      http.get('*/api/v2/staff/role', () => failure(400, { message: 'No luck', code: 'x' })),
    )
    const { user } = await openSignedIn('/user/account/staff')
    expect(await screen.findByText('No luck')).toBeVisible()
    answerAs('viewer')
    await user.click(screen.getByRole('button', { name: /try again/i }))
    expect(await screen.findByText('see nodes as viewer')).toBeVisible()
  })
})

describe('users', () => {
  it('find nothing of it in the account menu or the palette', async () => {
    answerAs('')
    const { user } = await openSignedIn('/user/my-account')
    await openMenu(user)
    await openPalette(user)
    expect(screen.queryByText(/^Staff/)).toBeNull()
    expect(asked).not.toHaveBeenCalled()
  })

  it('read at its address that it is not for them', async () => {
    answerAs('')
    await openSignedIn('/user/account/staff')
    expect(await screen.findByText('This page is for members of staff.')).toBeVisible()
    expect(asked).not.toHaveBeenCalled()
  })
})
