import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { server, site, stillLoading, success } from '@/test/msw/server'
import { openApp, openSignedIn } from '@/test/render'

const hasSidebar = () => screen.queryAllByRole('navigation', { name: 'Main navigation' }).length > 0

beforeEach(() => server.use(stillLoading))

describe('open pages', () => {
  it('/auth leads to sign-in', async () => {
    const { router } = await openApp('/auth')
    await waitFor(() => expect(router.state.location.pathname).toBe('/auth/sign-in'))
  })

  it.each(['/auth/sign-out', '/auth/sign-in-by-access-jwt'])(
    '%s is open, without the sidebar',
    async (path) => {
      const { router } = await openApp(path)
      await screen.findByRole('main')
      expect(router.state.matches.map(({ routeId }) => routeId)).not.toContain('/user')
      expect(hasSidebar()).toBe(false)
    },
  )

  it.each([
    ['/about', 'About', false],
    ['/auth/sign-in', 'Sign in', false],
    ['/auth/sign-up', 'Sign up', false],
    ['/auth/forgot-password', 'Forgot password', false],
    ['/settings', 'Preferences', false],
  ])('%s has its title and layout for guests', async (path, title, isDefaultLayout) => {
    const { router } = await openApp(path)
    await screen.findByRole('heading', { level: 1 })
    await waitFor(() => expect(document.title).toBe(`${title} · Network Accelerator`))
    expect(router.state.location.pathname).toBe(path)
    expect(hasSidebar()).toBe(isDefaultLayout)
  })
})

describe('/settings', () => {
  it('shows guests no menu of a user and no link that needs a sign-in', async () => {
    const { user } = await openApp('/settings')
    await screen.findByRole('heading', { level: 1, name: 'Preferences' })
    expect(screen.queryByRole('button', { name: /menu/i })).toBeNull()
    expect(screen.queryByRole('button', { name: /search/i })).toBeNull()
    await user.keyboard('{Control>}k{/Control}')
    expect(screen.queryByRole('dialog')).toBeNull()
    const links = screen.getAllByRole('link').map((link) => link.getAttribute('href'))
    expect(links).toEqual(['/auth/sign-in'])
  })

  it('shows a user the shell of the other pages', async () => {
    await openSignedIn('/settings')
    await screen.findByRole('heading', { level: 1, name: 'Preferences' })
    expect(hasSidebar()).toBe(true)
  })
})

const userPages = [
  ['/user/developer', 'Developer'],
  ['/user/my-account', 'My account'],
  ['/user/account/activity', 'Activity'],
  ['/user/account/security', 'Security'],
  ['/user/account/edit-profile', 'Profile'],
  ['/user/account/edit-password', 'Change password'],
  ['/user/account/login-ip-log', 'Sign-in log'],
] as const

describe('pages of a user', () => {
  it.each(userPages)('%s has its title and the default layout', async (path, title) => {
    await openSignedIn(path)
    await screen.findByRole('heading', { level: 1, name: title })
    expect(document.title).toBe(`${title} · Network Accelerator`)
    expect(hasSidebar()).toBe(true)
  })

  it.each(userPages)('%s leads guests to sign-in and back', async (path) => {
    const { router } = await openApp(path)
    await waitFor(() => expect(router.state.location.pathname).toBe('/auth/sign-in'))
    expect(router.state.location.search).toMatchObject({
      next: expect.stringMatching(new RegExp(`^${path}`)) as unknown,
    })
  })

  it('that do not exist say so within the layout, however deep', async () => {
    await openSignedIn('/user/no/such/page')
    expect(await screen.findByText('404 · Page Not Found')).toBeVisible()
    expect(document.title).toBe('Page Not Found · Network Accelerator')
    expect(hasSidebar()).toBe(true)
  })
})

describe('terms and privacy', () => {
  it('are open pages with the operator’s texts', async () => {
    server.use(
      http.get('*/api/v2/site/texts', () =>
        success({ terms: '## Refunds\n\nWithin **7 days**.', privacy: '', version: 'v1' }),
      ),
    )
    await openApp('/terms')
    expect(await screen.findByRole('heading', { name: 'Terms of service', level: 1 })).toBeVisible()
    expect(await screen.findByText('7 days')).toBeVisible()
    await openApp('/privacy')
    expect(await screen.findByText('There is nothing here yet.')).toBeVisible()
  })
})

describe('about', () => {
  it('says what the operator says, with the source', async () => {
    const about = {
      text_zh: '',
      text_en: 'We run it.',
      contact_email: 'help@example.com',
      contact_url: 'https://t.me/runway',
      terms_url: 'https://example.com/terms',
      privacy_url: '',
      source_url: 'https://example.com/source',
    }
    server.use(http.get('*/api/v2/site', () => success({ ...site, site_name: 'Runway', about })))
    const { user } = await openApp('/about')
    expect(await screen.findByText('We run it.')).toBeVisible()
    const facts = within(screen.getByText('Version').closest('dl') ?? document.body)
    await user.click(facts.getByRole('button', { name: 'Show e-mail address' }))
    const hrefOf = (name: string) => facts.getByRole('link', { name }).getAttribute('href')
    expect(hrefOf('Telegram')).toBe('https://t.me/runway')
    expect(hrefOf('help@example.com')).toBe('mailto:help@example.com')
    expect(hrefOf('example.com/terms')).toBe('https://example.com/terms')
    expect(screen.getByRole('link', { name: 'Source code' })).toHaveAttribute(
      'href',
      'https://example.com/source',
    )
    expect(screen.queryByText('Privacy')).not.toBeInTheDocument()
    expect(screen.getByRole('heading', { level: 1, name: 'Runway' })).toBeVisible()
  })

  it('tells whom to ask for the source where no address is set', async () => {
    await openApp('/about')
    expect(await screen.findByText(/Ask whoever runs this site/)).toBeVisible()
    expect(screen.queryByRole('link', { name: 'Source code' })).not.toBeInTheDocument()
  })
})
