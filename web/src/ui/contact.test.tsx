import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { dashboard } from '@/test/fixtures'
import { server, site, stillLoading, success } from '@/test/msw/server'
import { openApp, openSignedIn } from '@/test/render'

const reachable = (contact: { contact_email?: string; contact_url?: string }) =>
  http.get('*/api/v2/site', () => success({ ...site, about: { ...site.about, ...contact } }))

const both = reachable({
  contact_email: 'help@example.com',
  contact_url: 'https://t.me/runway',
})

beforeEach(() => server.use(stillLoading))

describe('whom to write to', () => {
  it('is said to banned users, with the address', async () => {
    server.use(
      both,
      http.get('*/api/v2/user/dashboard', () =>
        success({ ...dashboard({ state: 'banned' }), ban: null }),
      ),
    )
    await openSignedIn('/user/dashboard')
    expect(await screen.findByText(/Open a ticket if you think this is a mistake/)).toBeVisible()
    const notice = within(screen.getByRole('alert').parentElement ?? document.body)
    expect(await notice.findByRole('link', { name: 'help@example.com' })).toHaveAttribute(
      'href',
      'mailto:help@example.com',
    )
    expect(notice.getByRole('link', { name: 'Telegram' })).toHaveAttribute(
      'href',
      'https://t.me/runway',
    )
  })

  it('is a ticket alone for banned users where nobody is named', async () => {
    server.use(
      http.get('*/api/v2/user/dashboard', () =>
        success({ ...dashboard({ state: 'banned' }), ban: null }),
      ),
    )
    await openSignedIn('/user/dashboard')
    const notice = within(await screen.findByRole('alert'))
    expect(notice.getByRole('link', { name: /Open a ticket/ })).toHaveAttribute(
      'href',
      '/user/tickets/new',
    )
    expect(screen.queryByText('Contact')).not.toBeInTheDocument()
  })

  it.each(['/auth/sign-up', '/user/promote'])('stands in the footer of %s', async (path) => {
    server.use(both)
    await (path.startsWith('/user') ? openSignedIn(path) : openApp(path))
    const footer = within(await screen.findByRole('contentinfo'))
    expect(await footer.findByRole('link', { name: 'Telegram' })).toBeVisible()
  })

  it('is an address only for who asks for it, not for programs that collect addresses', async () => {
    server.use(both)
    const { user } = await openApp('/auth/sign-up')
    const footer = within(await screen.findByRole('contentinfo'))
    const show = await footer.findByRole('button', { name: 'Show e-mail address' })
    expect(document.documentElement.innerHTML).not.toContain('help@example.com')
    await user.click(show)
    expect(footer.getByRole('link', { name: 'help@example.com' })).toHaveFocus()
  })

  it('is said to who cannot sign in', async () => {
    server.use(both)
    await openApp('/auth/sign-in')
    const line = (await screen.findByText(/Can’t sign in\?/)).closest('p')
    expect(within(line ?? document.body).getByRole('link', { name: 'Telegram' })).toBeVisible()
  })

  it('is said on error pages', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    server.use(reachable({ contact_url: 'https://help.example.com/tickets' }))
    await openApp('/no/such/page')
    const main = within(await screen.findByRole('main'))
    expect(await main.findByRole('link', { name: 'help.example.com' })).toBeVisible()
  })
})
